import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'api',
    include: ['test/**/*.test.ts'],
    // A project of its own, so that what needs no PostgreSQL starts none.
    exclude: ['test/postgres/**'],
    // Titles of clauses are whole sentences.
    taskTitleValueFormatTruncate: 0,
    // Nothing is slow on its own; a machine that others use as well may be.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
