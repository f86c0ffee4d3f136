import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'bench',
    include: ['test/**/*.test.ts'],
    exclude: ['test/postgres/**'],
    // Nothing is slow on its own; a machine that others use as well may be.
    testTimeout: 120_000,
  },
});
