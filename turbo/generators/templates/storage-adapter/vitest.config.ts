import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'adapters-new-engine',
    include: ['test/**/*.test.ts'],
    // A clause is named in full.
    taskTitleValueFormatTruncate: 0,
  },
});
