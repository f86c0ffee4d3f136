import { setTimeout as sleep } from 'node:timers/promises';
import { cleanupOnExit } from '../../src/cli/index.ts';

// A store of which a call fails, and nobody awaits it, while its place is being removed, which may never end.
const [, , what, ...signals] = process.argv;
let isGone = false;
const place = {
  async dispose() {
    if (isGone) return;
    isGone = true;
    void Promise.reject(new Error('the place is gone'));
    await (what === 'never' ? new Promise(() => {}) : sleep(50));
    process.stdout.write('removed\n');
  },
};

void cleanupOnExit(
  async () => place,
  (problem) => void process.stderr.write(`${problem}\n`),
  async (prepare) => {
    const prepared = await prepare();
    const alive = setTimeout(() => {}, 60_000);
    process.once(signals[0] ?? '', () => clearTimeout(alive));
    for (const signal of signals) {
      process.kill(process.pid, signal);
      await sleep(10);
    }
    await Promise.race([prepare(), prepared.dispose()]);
    process.stdout.write('went on\n');
  },
);
