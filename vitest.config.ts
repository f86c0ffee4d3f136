import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { RUN } from './tools/tests/left-processes.ts';
import { RunReport } from './tools/tests/run-report.ts';

// Tests start the service in some hundred processes: what its modules were compiled to is kept, a quarter of a start's CPU.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

// A run that a test starts is part of the run that the test belongs to.
process.env[RUN] = [process.env[RUN], `${process.pid}.${Date.now()}`].filter(Boolean).join('/');

/** What a package's tests have of their own, by the name of its folder. */
const own: Readonly<Record<string, object>> = {
  // Services that mostly wait for slow clients to be timed out.
  'adapters-http': { maxConcurrency: 16 },
  'contracts-http-mutants': { maxConcurrency: 16 },
  'adapters-postgres': { globalSetup: ['@plant-store/testing-postgres/global-setup'] },
  'adapters-mysql': { globalSetup: ['@plant-store/testing-mysql/global-setup'] },
  'testing-postgres': { globalSetup: ['@plant-store/testing-postgres/global-setup'] },
  'api-mysql': { globalSetup: ['@plant-store/testing-mysql/global-setup'] },
  'api-postgres': { globalSetup: ['@plant-store/testing-postgres/global-setup'] },
};

const packages = globSync('{apps,packages}/*/package.json', { cwd: import.meta.dirname }).map(dirname);

export default defineConfig({
  test: {
    // Many tests wait, for a process or a time-out: with a worker a core, cores would be idle.
    maxWorkers: 2 * availableParallelism(),
    projects: [
      ...[...packages, 'bench', 'deploy', 'tools'].map((folder) => project(basename(folder), folder)),
      project('contracts-http-mutants', 'packages/contracts-http/mutants'),
      // Projects of their own, so that what needs no PostgreSQL starts none.
      project('api-mysql', 'apps/api/test/mysql'),
      project('api-postgres', 'apps/api/test/postgres'),
      project('bench-postgres', 'bench/test/postgres'),
    ],
    reporters: [
      // Files as they end are for whoever watches; elsewhere only what failed, in full, and the counts.
      process.stdout.isTTY ? 'default' : 'minimal',
      new RunReport(),
      // The machine-readable report is what .ci/run counts from; a person does not need it.
      ...(process.env['CI'] ? [['json', { outputFile: 'reports/test.json' }] as const] : []),
    ],
  },
});

/** The tests of a folder. `--project` takes the name: `vitest run --project domain`. */
function project(name: string, folder: string) {
  return {
    test: {
      name,
      root: join(import.meta.dirname, folder),
      include: ['**/*.test.ts'],
      exclude: ['**/node_modules/**', 'dist/**', 'reports/**', 'test/postgres/**', 'test/mysql/**', 'mutants/**'],
      // A worker takes one file after another, and loads what they have in common once: half of the CPU of small files.
      isolate: false,
      // Titles of clauses are whole sentences.
      taskTitleValueFormatTruncate: 0,
      // Nothing is slow on its own; a machine that others use as well may be.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      ...own[name],
    },
  };
}
