import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'documents',
    include: ['test/**/*.test.ts'],
    // Some read every document, or start the service, on a machine that may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
