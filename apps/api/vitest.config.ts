import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'api',
    globalSetup: ['@plant-store/testing-postgres/global-setup'],
    include: ['test/**/*.test.ts'],
  },
});
