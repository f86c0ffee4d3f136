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

/** What `test:all` runs besides: replays of whole documents, and what makes a copy of the repository. */
const exhaustive = process.env['TEST_MUTANTS'] === 'all' ? [] : ['**/*.exhaustive.test.ts'];

/** What the tests of a folder have of their own. Those that have it in common run in the order of its names. */
const settings: Readonly<Record<string, object>> = {
  ...Object.fromEntries(servers.map((engine) => [`adapters-${engine}`, withServer(engine)])),
  // On a server that no adapter's tests are using any more: these look for databases that commands leave.
  ...Object.fromEntries(servers.map((engine) => [`api-${engine}`, { ...withServer(engine), provide: { engine } }])),
  // Services that mostly wait for slow clients to be timed out.
  'slow-clients': { maxConcurrency: 16 },
  'without-server': {},
};

/** What starts the server of an engine. */
function withServer(engine: string): object {
  return { globalSetup: [join(import.meta.dirname, `packages/testing-${engine}/src/global-setup.ts`)] };
}

const packages = globSync('{apps,packages}/*/package.json', { cwd: import.meta.dirname }).map(dirname);

/** The tests of a folder. */
interface Suite {
  /** What `--project` takes: `vitest run --project domain`. */
  readonly name: string;
  readonly folder: string;
  readonly files: string;
  readonly without: readonly string[];
}

/** Suites of their own, so that what needs no server starts none. */
const needServer = `test/{servers,${servers}}/**`;

const suites: readonly Suite[] = [
  ...[...packages, 'bench', 'deploy', 'tools'].map((folder) =>
    suite(basename(folder), folder, '**/*.test.ts', ['dist/**', 'reports/**', needServer, 'mutants/**']),
  ),
  suite('contracts-http-mutants', 'packages/contracts-http/mutants'),
  ...servers.map((engine) => suite(`api-${engine}`, 'apps/api/test', `{servers,${engine}}/**/*.test.ts`)),
  ...servers
    .filter((engine) => existsSync(join(import.meta.dirname, `bench/test/${engine}`)))
    .map((engine) => suite(`bench-${engine}`, `bench/test/${engine}`)),
];

function suite(name: string, folder: string, files = '**/*.test.ts', without: string[] = []): Suite {
  return { name, folder, files, without };
}

/** The name of the settings of a suite. */
function settingsOf({ name }: Suite): string {
  if (['adapters-http', 'contracts-http-mutants'].includes(name)) return 'slow-clients';
  const ofAdapter = name.replace(/^testing-/, 'adapters-');
  if (ofAdapter in settings) return ofAdapter;
  // What bench leaves out must not be left out of these.
  return name.startsWith('bench-') ? name : 'without-server';
}

// A worker serves one project: for the next another is started, and loads everything again. With a project for each suite
// that was half of what vitest itself costs, so suites are projects only where the command line names them.
const isOfSome = process.argv.some((each) => each.startsWith('--project'));

export default defineConfig({
  test: {
    // Many tests wait, for a process or a time-out: with a worker a core, cores would be idle.
    maxWorkers: 2 * availableParallelism(),
    projects: isOfSome ? suites.map((each) => project(each.name, settingsOf(each), [each])) : joined(),
    reporters: [
      // Files as they end are for whoever watches; elsewhere only what failed, in full, and the counts.
      process.stdout.isTTY ? 'default' : 'minimal',
      new RunReport(),
      // The machine-readable report is what .ci/run counts from; a person does not need it.
      ...(process.env['CI'] ? [['json', { outputFile: 'reports/test.json' }] as const] : []),
    ],
  },
});

/** Of each settings one project. */
function joined() {
  const bySettings = Map.groupBy(suites, settingsOf);
  return [...bySettings].map(([name, theirs]) => project(name, name, theirs));
}

function project(name: string, common: string, theirs: readonly Suite[]) {
  return {
    test: {
      name,
      include: theirs.map(({ folder, files }) => `${folder}/${files}`),
      exclude: [
        '**/node_modules/**',
        ...theirs.flatMap(({ folder, without }) => without.map((each) => `${folder}/${each}`)),
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
      ...settings[common],
    },
  };
}
