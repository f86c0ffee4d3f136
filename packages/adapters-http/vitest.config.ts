import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'adapters-http',
    include: ['test/**/*.test.ts'],
    // Titles of clauses are whole sentences.
    taskTitleValueFormatTruncate: 0,
    // Nothing is slow on its own; a machine that others use as well may be.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
