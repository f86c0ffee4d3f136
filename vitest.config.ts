import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*', 'bench'],
    // More than there are cores: most files wait, for processes to start and for time-outs to pass.
    maxWorkers: 4,
    // The machine-readable report is what .ci/run counts from; a person does not need it.
    reporters: process.env['CI'] ? ['default', ['json', { outputFile: 'reports/test.json' }]] : ['default'],
  },
});
