import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'testing-clients',
    include: ['test/**/*.test.ts'],
    // Nothing is slow on its own; a machine that others use as well may be.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
