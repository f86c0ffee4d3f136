import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      'packages/*',
      'packages/contracts-http/mutants',
      'apps/*',
      'apps/*/test/postgres',
      'bench',
      'bench/test/postgres',
      'deploy',
      'tools/*',
    ],
    // The machine-readable report is what .ci/run counts from; a person does not need it.
    reporters: process.env['CI'] ? ['default', ['json', { outputFile: 'reports/test.json' }]] : ['default'],
  },
});
