// Runs what takes too long for each commit, and appends a line to nights.json:
//
//   npx -y pnpm@12 night
//   npx -y pnpm@12 night --only simulation --plans 20000 --seed 7
//   npx -y pnpm@12 night --only faults,exhaustive --faults 'is killed' --stops 2

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../repository.ts';
import { type Night, nights, nightsPath } from './nights.ts';

const { values: options } = parseArgs({
  options: {
    /** Parts with commas between them. */
    only: { type: 'string', default: 'simulation,faults,exhaustive' },
    /** Plans of the simulation. Fewer than 10,000 may miss a rare state, which is a failure. */
    plans: { type: 'string', default: '100000' },
    /** Of the simulation. A new one by default. */
    seed: { type: 'string', default: `${Date.now() % 2 ** 31}` },
    /** A regular expression for the titles of faults. All by default. */
    faults: { type: 'string', default: '' },
    /** How often each fault that stops the service at random moments does so. */
    stops: { type: 'string', default: '12' },
  },
});

/** The arguments and the environment of vitest for each part, the name of its report, and the options that it uses. */
const parts: Readonly<Record<string, Part>> = {
  simulation: {
    args: ['--project', 'group-commit', 'simulation'],
    env: { SIMULATION_PLANS: options.plans, SIMULATION_SEED: options.seed },
    report: 'group-commit',
    uses: ['plans', 'seed'],
  },
  faults: {
    args: ['--root', 'apps/api/test/faults', '-t', options.faults],
    env: { FAULTS_STOPS: options.stops },
    report: 'faults',
    uses: ['faults', 'stops'],
  },
  exhaustive: { args: ['exhaustive', 'boundaries'], env: { TEST_EXHAUSTIVE: '1' }, report: 'test', uses: [] },
};

interface Part {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly report: string;
  readonly uses: readonly (keyof typeof options)[];
}

interface Test {
  readonly fullName: string;
  readonly status: string;
  readonly meta: { readonly simulation?: Night['simulation'] };
}

/** Runs the tests of a part. */
function run([name, { args, env, report }]: readonly [string, Part]) {
  const path = join(root, `reports/${report}.json`);
  rmSync(path, { force: true });
  const { status } = spawnSync('vitest', ['run', ...args], {
    cwd: root,
    env: { ...process.env, ...env, TEST_REPORTS: '1' },
    stdio: 'inherit',
  });
  const { testResults = [] } = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  const tests: Test[] = testResults.flatMap((file: { assertionResults: Test[] }) => file.assertionResults);
  const failed = tests.filter((test) => test.status === 'failed').map(({ fullName }) => fullName);
  const ran = failed.length + tests.filter((test) => test.status === 'passed').length;
  // A run that ends early may have no failed test, or no report.
  const endedEarly = ran === 0 || (status !== 0 && failed.length === 0);
  return {
    name,
    tests: { ran, of: tests.length },
    failures: endedEarly ? [`${name}: ${ran} tests, exit ${status}`] : failed,
    figures: tests.map(({ meta }) => meta),
  };
}

function fail(message: string): never {
  process.stderr.write(`night: ${message}\n`);
  process.exit(2);
}

const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const quoted = (value: string) => (/^[\w,]+$/.test(value) ? value : `'${value}'`);

for (const name of ['plans', 'seed', 'stops'] as const)
  if (!/^\d+$/.test(options[name])) fail(`--${name} ${options[name]}: expected a whole number`);
if (options.faults.includes("'")) fail("--faults: write a full stop for '");
const chosen = options.only
  .split(',')
  .map((name) => [name, parts[name] ?? fail(`--only ${name}: expected ${Object.keys(parts).join(', ')}`)] as const);
const used = (['only', ...chosen.flatMap(([, { uses }]) => uses)] as const).filter((name) => options[name] !== '');
const commit = git('rev-parse', 'HEAD');
const recorded = [nightsPath, 'docs/reliability.md'].map((path) => `:!${path}`);
const isChanged = git('status', '--porcelain', '--', '.', ...recorded) !== '';
const results = chosen.map(run);
const testsOf = (part: string) => results.find(({ name }) => name === part)?.tests;
const night: Night = {
  date: new Date().toISOString().slice(0, 10),
  commit: isChanged ? `${commit}+` : commit,
  simulation: results.flatMap(({ figures }) => figures).find(({ simulation }) => simulation)?.simulation,
  faults: testsOf('faults'),
  exhaustive: testsOf('exhaustive'),
  failures: results.flatMap(({ failures }) => failures),
  command: ['npx -y pnpm@12 night', ...used.map((name) => `--${name} ${quoted(options[name])}`)].join(' '),
};
const lines = [...nights(), night].map((each) => `  ${JSON.stringify(each)}`);
writeFileSync(join(root, nightsPath), `[\n${lines.join(',\n')}\n]\n`);
process.stdout.write(`${lines.at(-1)}\ndocs:update shows it in docs/reliability.md\n`);
process.exitCode = night.failures.length > 0 ? 1 : 0;
