import { defineConfig } from 'vitest/config';

/** The cluster that somebody brings is tested alone: it takes minutes, and its faults are its owner's. */
const { FAULTS_DATABASE_URL } = process.env;

export default defineConfig({
  // Beside the cache of the package's other tests, not here.
  cacheDir: '../../node_modules/.vite-faults',
  test: {
    name: 'faults',
    root: import.meta.dirname,
    include: [FAULTS_DATABASE_URL ? 'cluster.fault.ts' : '!(cluster).fault.ts'],
    // One after another: each of them wants the machine for itself.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    // The figures are printed as they come.
    disableConsoleIntercept: true,
  },
});
