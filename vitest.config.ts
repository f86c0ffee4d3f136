import { existsSync, globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { RUN } from './tools/tests/left-processes.ts';
import { LongFilesFirst } from './tools/tests/long-files-first.ts';
import { RunReport } from './tools/tests/run-report.ts';

// Tests start the service in some hundred processes: what its modules were compiled to is kept, a quarter of a start's CPU.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

// A run that a test starts is part of the run that the test belongs to.
process.env[RUN] = [process.env[RUN], `${process.pid}.${Date.now()}`].filter(Boolean).join('/');

/** The engines behind a server: each has a package that starts one for the tests of a run. */
const servers = globSync('packages/testing-*/src/global-setup.ts', { cwd: import.meta.dirname }).map((path) =>
  path.replace(/^packages\/testing-([^/]+).*/, '$1'),
);

/** What `test:all` runs besides: replays of whole documents, and what copies or checks the whole repository. */
const exhaustive = process.env['TEST_MUTANTS'] === 'all' ? [] : ['**/*.exhaustive.test.ts'];

/** Tests that need the server of an engine, which is started for them. */
const withServer = (engine: string) => ({
  group: engine,
  settings: {
    globalSetup: [join(import.meta.dirname, `packages/testing-${engine}/src/global-setup.ts`)],
    provide: { engine },
  },
});

/** The tests of a folder. */
interface Suite {
  /** What `--project` takes: `vitest run --project domain`. */
  readonly name: string;
  readonly folder: string;
  readonly files?: string;
  readonly without?: readonly string[];
  /** The suites whose tests have the same settings. */
  readonly group: string;
  readonly settings: object;
}

/** Tests of services that mostly wait for slow clients to be timed out. */
const slowClients = { group: 'slow-clients', settings: { maxConcurrency: 16 } };

const withoutServer = { group: 'without-server', settings: {} };

/** What the tests of a package have of their own, by the name of its folder. */
const own: Readonly<Record<string, Pick<Suite, 'group' | 'settings'>>> = {
  'adapters-http': slowClients,
  ...Object.fromEntries(
    servers.flatMap((engine) => [`adapters-${engine}`, `testing-${engine}`].map((name) => [name, withServer(engine)])),
  ),
};

const packages = globSync('{apps,packages}/*/package.json', { cwd: import.meta.dirname }).map(dirname);

const suites: readonly Suite[] = [
  ...[...packages, 'bench', 'deploy', 'tools'].map((folder) => ({
    name: basename(folder),
    folder,
    // What needs a server is a suite of its own: the others start none.
    without: ['dist/**', 'reports/**', `test/{servers,${servers}}/**`, 'mutants/**'],
    ...withoutServer,
    ...own[basename(folder)],
  })),
  { name: 'contracts-http-mutants', folder: 'packages/contracts-http/mutants', ...slowClients },
  // What is tested on every engine behind a server, and on this one alone.
  ...servers.map((engine) => ({
    name: `api-${engine}`,
    folder: 'apps/api/test',
    files: `{servers,${engine}}/**/*.test.ts`,
    ...withServer(engine),
  })),
  ...servers
    .filter((engine) => existsSync(join(import.meta.dirname, `bench/test/${engine}`)))
    .map((engine) => ({ name: `bench-${engine}`, folder: `bench/test/${engine}`, ...withServer(engine) })),
];

// A worker serves one project: for the next another is started, and loads everything again. With a project for each suite
// that was half of what vitest itself costs, so suites are projects only where the command line names them; an editor sees
// the groups.
const namesProjects = process.argv.some((each) => each.startsWith('--project'));

export default defineConfig({
  test: {
    // Many tests wait, for a process or a time-out: two workers a core left a fifth of it idle, three leave a twentieth.
    maxWorkers: 3 * availableParallelism(),
    projects: [...Map.groupBy(suites, ({ name, group }) => (namesProjects ? name : group))].map(([name, members]) =>
      project(name, members),
    ),
    sequence: { sequencer: LongFilesFirst },
    reporters: [
      // Files as they end are for whoever watches; elsewhere only what failed, in full, and the counts.
      process.stdout.isTTY ? 'default' : 'minimal',
      new RunReport(),
      // The machine-readable report is what .ci/run counts from; a person does not need it.
      ...(process.env['CI'] ? [['json', { outputFile: 'reports/test.json' }] as const] : []),
    ],
  },
});

function project(name: string, members: readonly Suite[]) {
  return {
    test: {
      name,
      include: members.map(({ folder, files = '**/*.test.ts' }) => `${folder}/${files}`),
      exclude: [
        '**/node_modules/**',
        ...members.flatMap(({ folder, without = [] }) => without.map((each) => `${folder}/${each}`)),
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
      ...members[0]?.settings,
    },
  };
}
