import { defineConfig } from 'vitest/config';

/** The tests that mutants are run against, on one server. */
export default defineConfig({
  test: {
    globalSetup: ['@plant-store/testing-mysql/global-setup'],
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
