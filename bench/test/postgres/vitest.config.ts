import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'bench-postgres',
    include: ['**/*.test.ts'],
    // They start a PostgreSQL each, on a machine that may be busy.
    testTimeout: 120_000,
  },
});
