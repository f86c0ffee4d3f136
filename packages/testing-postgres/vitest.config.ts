import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'testing-postgres',
    globalSetup: ['@plant-store/testing-postgres/global-setup'],
    include: ['test/**/*.test.ts'],
  },
});
