import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'adapters-sqlite',
    include: ['test/**/*.test.ts'],
  },
});
