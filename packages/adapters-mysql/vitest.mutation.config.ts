import { defineConfig } from 'vitest/config';
import { SlowLast } from '../../vitest.mutation.config.ts';

/** The tests that mutants are run against, on one server. */
export default defineConfig({
  test: {
    globalSetup: ['@plant-store/testing-mysql/global-setup'],
    include: ['test/**/*.test.ts'],
    // The same clauses with other outages, for half of the time of all tests.
    exclude: ['test/contract-on-own-server.test.ts'],
    isolate: false,
    sequence: { sequencer: SlowLast },
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
