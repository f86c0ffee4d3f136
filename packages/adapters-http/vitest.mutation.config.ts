import { defineConfig } from 'vitest/config';

/**
 * The tests that mutants are run against: all that are about the service and take milliseconds. The clauses about time-outs
 * take seconds each, and other tests prove the contract.
 */
export default defineConfig({
  test: {
    include: [`test/**/${process.env['MUTATION_TESTS'] ?? '*'}.test.ts`],
    testNamePattern: /^(?!.*(HC-(60|61|66) ))/,
    testTimeout: 120_000,
  },
});
