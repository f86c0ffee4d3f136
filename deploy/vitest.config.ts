import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'deploy',
    include: ['test/**/*.test.ts'],
    // One compiles the manifests, on a machine that may be busy.
    testTimeout: 120_000,
  },
});
