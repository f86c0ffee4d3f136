import { setTimeout as sleep } from 'node:timers/promises';
import { cleanupOnExit } from '../../src/cli/index.ts';

// Sends itself signals. While its place is being removed, a call that nobody awaits fails.
const place = {
  async dispose() {
    void Promise.reject(new Error('the place is gone'));
    await sleep(50);
    process.stdout.write('removed\n');
  },
};

void cleanupOnExit(
  async () => place,
  (problem) => void process.stderr.write(`${problem}\n`),
  async (prepare) => {
    const prepared = await prepare();
    for (const signal of process.argv.slice(2)) {
      process.kill(process.pid, signal);
      await sleep(10);
    }
    await Promise.race([prepare(), prepared.dispose()]);
    process.stdout.write('went on\n');
  },
);
