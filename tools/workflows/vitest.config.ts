import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'workflows',
    include: ['test/**/*.test.ts'],
    // Some make a git repository each, on a machine that may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
