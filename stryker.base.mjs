import { join } from 'node:path';

/** A whole run fails below the package's own score. With the tests that MUTATION_TESTS names alone, people read what survives. */
export const failBelow = (score) => ({
  thresholds: { high: 95, low: 90, break: process.env.MUTATION_TESTS ? null : score },
});

/** What the mutation tests of all packages have in common. */
export const base = {
  packageManager: 'pnpm',
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  // An absolute path, since it runs in a copy of the package.
  vitest: { configFile: join(import.meta.dirname, 'vitest.mutation.config.ts'), related: false },
  // A harness is what the package is tested with.
  mutate: ['src/**/*.ts', '!src/harness/**', '!src/**/index.ts'],
  // Stryker reads tsconfig files with a compiler API that TypeScript 7 does not have.
  ignorePatterns: ['tsconfig*.json', 'dist'],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // A test that hangs fails by its own time-out first. Where it hangs for lack of CPU it still kills: a score from a busy
  // machine is an upper bound.
  timeoutMS: 60_000,
  reporters: ['clear-text', 'progress-append-only', 'json'],
  jsonReporter: { fileName: 'reports/mutation.json' },
  tempDirName: 'reports/stryker',
  ...failBelow(90),
};

/** The same for a package whose tests need a server, with a vitest.mutation.config.ts of its own. */
export const withServer = (packageDirectory) => ({
  ...base,
  // An absolute path: what it imports is not in the copy of the package.
  vitest: { ...base.vitest, configFile: join(packageDirectory, 'vitest.mutation.config.ts') },
  // Tests leave their databases on the server, which ends with its runner: by then they take a gigabyte.
  maxTestRunnerReuse: 25,
});
