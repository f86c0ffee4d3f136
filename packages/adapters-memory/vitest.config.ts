import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'adapters-memory',
    include: ['test/**/*.test.ts'],
    // Titles of clauses are whole sentences.
    taskTitleValueFormatTruncate: 0,
  },
});
