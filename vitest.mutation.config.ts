import { defineConfig } from 'vitest/config';

/** The tests that mutants of a package are run against, unless it has a vitest.mutation.config.ts of its own. */
export default defineConfig({
  test: { include: ['test/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
});
