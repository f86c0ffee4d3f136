import { defineConfig } from 'vitest/config';

/** The tests that mutants are run against, on one server. */
export default defineConfig({
  test: {
    globalSetup: ['@plant-store/testing-postgres/global-setup'],
    include: ['test/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
