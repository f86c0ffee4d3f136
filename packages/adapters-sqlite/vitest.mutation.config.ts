import { defineConfig } from 'vitest/config';

/** The tests that mutants are run against. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/mutation/writer-in-process.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
