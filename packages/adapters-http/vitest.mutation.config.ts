import { defineConfig } from 'vitest/config';

/** The tests that mutants are run against: all that take milliseconds. The clauses about time-outs take seconds each, and the
 * README is not in the copy that Stryker works on. */
export default defineConfig({
  test: {
    include: ['test/*.test.ts'],
    exclude: ['test/openapi-clauses.test.ts'],
    testNamePattern: /^(?!.*(HC-(60|61|66) |the README))/,
  },
});
