import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** A cluster of your own is tested separately: its faults come from your commands. */
const { FAULTS_DATABASE_URL, TEST_REPORTS } = process.env;

const report = join(import.meta.dirname, '../../../../reports/faults.json');

export default defineConfig({
  // Beside the cache of the package's other tests, not here.
  cacheDir: '../../node_modules/.vite-faults',
  test: {
    name: 'faults',
    root: import.meta.dirname,
    include: ['*.fault.ts'],
    ...(FAULTS_DATABASE_URL && { testNamePattern: 'a fault of your cluster' }),
    // One after another: each of them wants the machine for itself.
    fileParallelism: false,
    setupFiles: '../../../../tools/tests/fail-on-warnings.ts',
    testTimeout: 180_000,
    hookTimeout: 120_000,
    // The figures are printed as they come.
    disableConsoleIntercept: true,
    reporters: TEST_REPORTS ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
});
