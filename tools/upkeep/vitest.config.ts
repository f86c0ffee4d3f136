import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'upkeep',
    include: ['test/**/*.test.ts'],
    // Some read the whole tree, on a machine that may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
