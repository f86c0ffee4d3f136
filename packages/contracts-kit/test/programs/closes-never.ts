import { cleanupOnExit } from '../../src/cli/index.ts';

// A store that is never closed, whose place was disposed of all the same.
await cleanupOnExit(
  async () => ({ open: async () => ({ close: () => new Promise(() => {}) }), dispose: async () => {} }),
  process,
  (problem) => void process.stderr.write(`${problem}\n`),
  async (prepare) => {
    const place = await prepare();
    await place.open();
    await place.dispose();
  },
);
process.stdout.write('ended\n');
