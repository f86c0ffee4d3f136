import { defineConfig } from 'vitest/config';
import { SlowLast } from '../../vitest.mutation.config.ts';

/** The tests that mutants are run against, on one server. */
export default defineConfig({
  test: {
    globalSetup: ['@plant-store/testing-postgres/global-setup'],
    include: ['test/**/*.test.ts'],
    // Half of the time of all tests. Mutants do not meet what it says of a server that is killed or freezes.
    exclude: ['test/contract-on-own-server.test.ts'],
    isolate: false,
    sequence: { sequencer: SlowLast },
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
