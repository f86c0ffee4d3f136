import { defineConfig } from 'vitest/config';

/** The tests that mutants are run against. The zoos prove the contracts, which are not mutated, and take the longest. */
export default defineConfig({ test: { include: ['test/*.test.ts'] } });
