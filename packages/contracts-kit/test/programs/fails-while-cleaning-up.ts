import { setTimeout as sleep } from 'node:timers/promises';
import { cleanupOnExit } from '../../src/cli/index.ts';

// A store of which a call fails, and nobody awaits it, while its place is being removed, which may never end.
const place = {
  open: async () => ({ close: async () => {} }),
  async dispose() {
    void Promise.reject(new Error('the place is gone'));
    await (process.argv[2] === 'never' ? new Promise(() => {}) : sleep(50));
    process.stdout.write('removed\n');
  },
};

void cleanupOnExit(
  async () => place,
  process,
  (problem) => void process.stderr.write(`${problem}\n`),
  async (prepare) => {
    await prepare();
    const alive = setTimeout(() => {}, 60_000);
    process.once('SIGTERM', () => clearTimeout(alive));
    process.kill(process.pid, 'SIGTERM');
    await new Promise(() => {});
  },
);
