import { defineConfig } from 'vitest/config';

/** The tests that mutants of a package are run against, unless it has a vitest.mutation.config.ts of its own. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // One worker for all files of a mutant's run; the next run has another.
    isolate: false,
    testTimeout: 6_000,
    hookTimeout: 6_000,
  },
});
