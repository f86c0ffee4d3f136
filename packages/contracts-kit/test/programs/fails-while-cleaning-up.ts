import { setTimeout as sleep } from 'node:timers/promises';
import { cleanupOnExit } from '../../src/cli/index.ts';

// A store of which a call fails, and nobody awaits it, while its place is being removed.
const place = {
  open: async () => {},
  async dispose() {
    void Promise.reject(new Error('the place is gone'));
    await sleep(50);
    process.stdout.write('removed\n');
  },
};

await cleanupOnExit(
  async () => place,
  process,
  (problem) => void process.stderr.write(`${problem}\n`),
  async (prepare) => {
    await prepare();
    process.kill(process.pid, 'SIGTERM');
    await sleep(60_000);
  },
);
