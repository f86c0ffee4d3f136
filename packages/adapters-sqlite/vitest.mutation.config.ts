import { defineConfig } from 'vitest/config';

/** The tests that mutants are run against: not those whose other processes do what is tested. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/concurrency.test.ts'],
    setupFiles: ['test/mutation/writer-in-process.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
