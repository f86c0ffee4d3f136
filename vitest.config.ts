import { existsSync, globSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { strictRun } from './tools/tests/strict-run.ts';

// Tests start the service in dozens of processes. Node's compile cache saves a quarter of the CPU of each start.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

// With more than 4 GiB of free memory, databases for tests are in memory. Commits then do not wait for a disk, and creating a
// database takes a tenth of the CPU. The exhaustive tests copy the repository, which needs more space.
const MEMORY = '/dev/shm';
if (process.env['TEST_EXHAUSTIVE'] !== '1' && existsSync(MEMORY)) {
  const { bavail, bsize } = statfsSync(MEMORY);
  if (Math.min(bavail * bsize, process.availableMemory()) > 4 * 2 ** 30) process.env['TMPDIR'] ??= MEMORY;
}

/** The engines with a server. A folder for each starts one for a run. */
const servers = globSync('testing/src/*/global-setup.ts', { cwd: import.meta.dirname })
  .map((path) => path.replace(/^testing\/src\/([^/]+).*/, '$1'))
  .toSorted();

/** The tests of a folder. */
interface Suite {
  /** The name for `--project`. */
  readonly name: string;
  readonly folder: string;
  readonly files?: string;
  readonly without?: readonly string[];
  /** The engines whose servers the run starts for these tests. */
  readonly engines: readonly string[];
}

/** Adapters that are tested on the server of another adapter's engine. */
const standsOn: Readonly<Record<string, readonly string[]>> = { postgres: ['adapters-citus'] };

/** The package's name without its scope, such as `contracts-http` for contracts/http. */
const toName = (folder: string): string => folder.replace(/^(apps|libraries|packages)\//, '').replace('/', '-');

const packages = globSync('{apps,clients,contracts,libraries,packages}/*/package.json', {
  cwd: import.meta.dirname,
}).map(dirname);

const suites: readonly Suite[] = [
  ...[...packages, 'bench', 'testing'].map((folder) => ({
    name: toName(folder),
    folder: `${folder}/test`,
    // Tests that need a server are suites of their own, below.
    without: [`{${servers}}/**`],
    engines: servers.filter((engine) => [`adapters-${engine}`, ...(standsOn[engine] ?? [])].includes(toName(folder))),
  })),
  { name: 'contracts-http-mutants', folder: 'contracts/http/mutants/test', engines: [] },
  { name: 'tools', folder: 'tools', engines: [] },
  // `servers` has the tests for every engine, and a folder of the engine's name has its own tests.
  ...servers.map((engine) => ({
    name: `api-${engine}`,
    folder: 'apps/api/test',
    files: `{servers,${engine}}/**/*.test.ts`,
    engines: [engine],
  })),
];

/**
 * Many tests wait for a process or a time-out, so two workers per core leave 20 % of two cores idle. Four workers leave 1 %, but
 * then some tests time out on a slow machine.
 */
const WORKERS_PER_CORE = 2;

/** The memory of a worker and of the processes that its tests start. */
const WORKER_BYTES = 2 ** 29;

/** The project that the command line selects. The script of each package selects its own. */
const [, selected] = /(?:^|,)--project[=,]([^,]+)/.exec(process.argv.join()) ?? [];

/**
 * In CI a test is run once more if something was late, because no bound excludes a machine that stalls for seconds. A wrong result
 * fails at once, because it may be a race. `.ci/run` names each test that passed only then.
 */
const LATE = /(respond|response|result|complete|open) (within|after) \d|timed? ?out|is overloaded/i;
const retryLate = { count: 1, condition: LATE };

/** Turbo runs a suite per core, so each suite has one core. */
const cores = process.env['TURBO_HASH'] ? 1 : availableParallelism();

export default defineConfig({
  test: {
    maxWorkers: Math.max(1, Math.min(WORKERS_PER_CORE * cores, Math.floor(process.availableMemory() / WORKER_BYTES))),
    projects: suites.map(project),
    reporters: [
      // On a terminal each file is listed when it ends. Elsewhere only failures and counts are printed.
      process.stdout.isTTY ? 'default' : 'minimal',
      strictRun(),
      // .ci/run counts tests in the JSON report.
      ...(process.env['TEST_REPORTS'] ? [['json', { outputFile: `reports/${selected ?? 'test'}.json` }] as const] : []),
    ],
  },
});

function project({ name, folder, files = '**/*.test.ts', without = [], engines }: Suite) {
  return {
    test: {
      name,
      include: [`${folder}/${files}`],
      exclude: ['**/node_modules/**', ...without.map((each) => `${folder}/${each}`)],
      globalSetup: engines.map((engine) => join(import.meta.dirname, `testing/src/${engine}/global-setup.ts`)),
      provide: { engines },
      setupFiles: ['fail-on-warnings', 'nothing-left'].map((name) =>
        join(import.meta.dirname, `tools/tests/${name}.ts`),
      ),
      // A worker runs several files and loads shared modules once, which halves the CPU of small files.
      isolate: false,
      // Titles of clauses are whole sentences.
      taskTitleValueFormatTruncate: 0,
      // No test takes that long unless the machine is overloaded.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 20_000 } },
      retry: process.env['TEST_REQUIRED'] ? retryLate : 0,
    },
  };
}
