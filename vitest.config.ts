import { existsSync, globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { RUN } from './tools/tests/left-processes.ts';
import { RunReport } from './tools/tests/run-report.ts';

// Tests start the service in some hundred processes: what its modules were compiled to is kept, a quarter of a start's CPU.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

// A run that a test starts is part of the run that the test belongs to.
process.env[RUN] = [process.env[RUN], `${process.pid}.${Date.now()}`].filter(Boolean).join('/');

/** The engines behind a server: each has a package that starts one for the tests of a run. */
const servers = globSync('packages/testing-*/src/global-setup.ts', { cwd: import.meta.dirname }).map((path) =>
  path.replace(/^packages\/testing-([^/]+).*/, '$1'),
);

/** What starts the server of an engine. */
const withServer = (engine: string) => ({
  globalSetup: [join(import.meta.dirname, `packages/testing-${engine}/src/global-setup.ts`)],
});

/** What `test:all` runs besides: replays of whole documents, and what makes a copy of the repository. */
const exhaustive = process.env['TEST_MUTANTS'] === 'all' ? [] : ['**/*.exhaustive.test.ts'];

/** What a package's tests have of their own, by the name of its folder. */
const own: Readonly<Record<string, object>> = {
  // Services that mostly wait for slow clients to be timed out.
  'adapters-http': { maxConcurrency: 16 },
  'contracts-http-mutants': { maxConcurrency: 16 },
  ...Object.fromEntries(
    servers.flatMap((engine) => [
      [`adapters-${engine}`, withServer(engine)],
      [`testing-${engine}`, withServer(engine)],
      // What is tested on every engine behind a server, and on this one alone.
      [
        `api-${engine}`,
        {
          ...withServer(engine),
          include: [`{servers,${engine}}/**/*.test.ts`],
          exclude: exhaustive,
          provide: { engine },
        },
      ],
    ]),
  ),
};

const packages = globSync('{apps,packages}/*/package.json', { cwd: import.meta.dirname }).map(dirname);

export default defineConfig({
  test: {
    // Many tests wait, for a process or a time-out: with a worker a core, cores would be idle.
    maxWorkers: 2 * availableParallelism(),
    projects: [
      ...[...packages, 'bench', 'deploy', 'tools'].map((folder) => project(basename(folder), folder)),
      project('contracts-http-mutants', 'packages/contracts-http/mutants'),
      // Projects of their own, so that what needs no server starts none.
      ...servers.map((engine) => project(`api-${engine}`, 'apps/api/test')),
      ...servers
        .filter((engine) => existsSync(join(import.meta.dirname, `bench/test/${engine}`)))
        .map((engine) => project(`bench-${engine}`, `bench/test/${engine}`)),
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
      exclude: [
        '**/node_modules/**',
        'dist/**',
        'reports/**',
        `test/{servers,${servers}}/**`,
        'mutants/**',
        ...exhaustive,
      ],
      // A worker takes one file after another, and loads what they have in common once: half of the CPU of small files.
      isolate: false,
      // Titles of clauses are whole sentences.
      taskTitleValueFormatTruncate: 0,
      // Nothing is slow on its own; a machine that others use as well may be.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 20_000 } },
      ...own[name],
    },
  };
}
