import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'adapters-postgres',
    globalSetup: ['@plant-store/testing-postgres/global-setup'],
    include: ['test/**/*.test.ts'],
  },
});
