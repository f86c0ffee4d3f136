import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'adapters-new-engine',
    include: ['test/**/*.test.ts'],
    // A clause is named in full.
    taskTitleValueFormatTruncate: 0,
    // Nothing is slow on its own; a machine that others use as well may be.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
