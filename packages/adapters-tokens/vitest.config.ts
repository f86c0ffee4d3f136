import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'adapters-tokens',
    include: ['test/**/*.test.ts'],
  },
});
