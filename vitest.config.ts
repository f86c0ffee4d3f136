import { existsSync, globSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { strictRun } from './tools/tests/strict-run.ts';

// Tests start the service in dozens of processes: what its modules were compiled to is kept, a quarter of a start's CPU.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

// What tests store is gone after them: where memory has 4 GiB to spare, no commit waits for a disk, and a new database of hundreds
// of files costs a tenth of the CPU. Copies of the repository take more.
const MEMORY = '/dev/shm';
if (process.env['TEST_EXHAUSTIVE'] !== '1' && existsSync(MEMORY)) {
  const { bavail, bsize } = statfsSync(MEMORY);
  if (Math.min(bavail * bsize, process.availableMemory()) > 4 * 2 ** 30) process.env['TMPDIR'] ??= MEMORY;
}

/** The engines behind a server: each has a folder that starts one for the tests of a run. */
const servers = globSync('testing/src/*/global-setup.ts', { cwd: import.meta.dirname })
  .map((path) => path.replace(/^testing\/src\/([^/]+).*/, '$1'))
  .toSorted();

/** What `test:all` runs besides: replays of whole documents, and what copies or checks the whole repository. */
const exhaustive = process.env['TEST_EXHAUSTIVE'] === '1' ? [] : ['**/*.exhaustive.test.ts'];
/** Citus cannot be embedded. */
const onCitus = process.env['TEST_CITUS_URL'] ? [] : ['**/adapters-citus/test/cluster.test.ts'];

/** The tests of a folder. */
interface Suite {
  /** What `--project` takes: `vitest run --project domain`. */
  readonly name: string;
  readonly folder: string;
  readonly files?: string;
  readonly without?: readonly string[];
  /** The engines whose servers are started for them. */
  readonly engines: readonly string[];
}

/** Packages that are tested on the server of another one's engine. */
const standsOn: Readonly<Record<string, readonly string[]>> = { postgres: ['adapters-citus'] };

/** As the package is named: `contracts-http` in contracts/http. */
const nameOf = (folder: string): string => folder.replace(/^(apps|libraries|packages)\//, '').replace('/', '-');

const packages = globSync('{apps,contracts,libraries,packages}/*/package.json', {
  cwd: import.meta.dirname,
}).map(dirname);

const suites: readonly Suite[] = [
  ...[...packages, 'bench', 'testing'].map((folder) => ({
    name: nameOf(folder),
    folder: `${folder}/test`,
    // What needs the server of an engine in apps/api and bench is a suite of its own, below.
    without: [`{${servers}}/**`],
    engines: servers.filter((engine) => [`adapters-${engine}`, ...(standsOn[engine] ?? [])].includes(nameOf(folder))),
  })),
  { name: 'contracts-http-mutants', folder: 'contracts/http/mutants/test', engines: [] },
  { name: 'tools', folder: 'tools', engines: [] },
  // What is tested on every engine behind a server, and on this one alone.
  ...servers.map((engine) => ({
    name: `api-${engine}`,
    folder: 'apps/api/test',
    files: `{servers,${engine}}/**/*.test.ts`,
    engines: [engine],
  })),
  ...servers
    .filter((engine) => existsSync(join(import.meta.dirname, `bench/test/${engine}`)))
    .map((engine) => ({ name: `bench-${engine}`, folder: `bench/test/${engine}`, engines: [engine] })),
];

/**
 * Many tests wait, for a process or a time-out: of two cores, two workers a core leave a fifth idle. Four leave a hundredth, but
 * each test is slower then, and on a machine half as fast as usual some of them get a response too late.
 */
const WORKERS_PER_CORE = 2;

/** What a worker, and what runs beside it, takes of memory. */
const WORKER_BYTES = 2 ** 29;

/** The project that the command line selects, as the script of each package does. */
const [, selected] = /(?:^|,)--project[=,]([^,]+)/.exec(process.argv.join()) ?? [];

/**
 * In CI a machine may stall for seconds, which no bound excludes, so what was late is run once more. A wrong result is not: it may
 * be a race. `.ci/run` names each test that passed only then.
 */
const retryLate = { count: 1, condition: /(respond|response|result|complete|open) (within|after) \d|timed? ?out/i };

/** Turbo runs as many suites at once as there are cores, each of which then has one. */
const cores = process.env['TURBO_HASH'] ? 1 : availableParallelism();

export default defineConfig({
  test: {
    maxWorkers: Math.max(1, Math.min(WORKERS_PER_CORE * cores, Math.floor(process.availableMemory() / WORKER_BYTES))),
    projects: suites.map(project),
    reporters: [
      // Files as they end are for whoever watches; elsewhere only what failed, in full, and the counts.
      process.stdout.isTTY ? 'default' : 'minimal',
      strictRun(),
      // The machine-readable report is what .ci/run counts from; a person does not need it.
      ...(process.env['TEST_REPORTS'] ? [['json', { outputFile: `reports/${selected ?? 'test'}.json` }] as const] : []),
    ],
  },
});

function project({ name, folder, files = '**/*.test.ts', without = [], engines }: Suite) {
  return {
    test: {
      name,
      include: [`${folder}/${files}`],
      exclude: ['**/node_modules/**', ...without.map((each) => `${folder}/${each}`), ...exhaustive, ...onCitus],
      globalSetup: engines.map((engine) => join(import.meta.dirname, `testing/src/${engine}/global-setup.ts`)),
      provide: { engines },
      setupFiles: ['fail-on-warnings', 'nothing-left'].map((name) =>
        join(import.meta.dirname, `tools/tests/${name}.ts`),
      ),
      // A worker takes one file after another, and loads what they have in common once: half of the CPU of small files.
      isolate: false,
      // Titles of clauses are whole sentences.
      taskTitleValueFormatTruncate: 0,
      // Nothing is slow on its own; a machine that others use as well may be.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 20_000 } },
      retry: process.env['TEST_REQUIRED'] ? retryLate : 0,
    },
  };
}
