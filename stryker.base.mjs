/** What the mutation tests of all packages have in common. See docs/mutation.md. */
export const base = {
  packageManager: 'pnpm',
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  // Contracts are mutated by hand, so to speak: their zoos hold the mutants that matter. What they are run against
  // in a store is part of the tests.
  mutate: ['src/**/*.ts', '!src/contract/**', '!src/harness/**', '!src/**/index.ts'],
  // Stryker reads tsconfig files with a compiler API that TypeScript 7 does not have.
  ignorePatterns: ['tsconfig*.json', 'dist'],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  reporters: ['clear-text', 'progress-append-only', 'json'],
  jsonReporter: { fileName: 'reports/mutation.json' },
  tempDirName: 'reports/stryker',
  thresholds: { high: 95, low: 90, break: 90 },
};
