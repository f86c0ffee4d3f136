import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { committedWorkflows, readWorkflow, root } from '../src/workflow.ts';
import { workflowFaults } from '../src/workflow-faults.ts';

const workflows = committedWorkflows();
const scripts = scriptsOf('package.json');
const runs = workflows.flatMap(({ jobs }) =>
  [...jobs.values()].flatMap(({ steps }) => steps.map(({ run = '' }) => run)),
);

test('there are the workflows of CI and of the night', () => {
  expect(workflows.map(({ path }) => path).toSorted()).toEqual([
    '.github/workflows/ci.yml',
    '.github/workflows/nightly.yml',
  ]);
});

test.each(workflows)('$path has no fault', async (workflow) => {
  expect(await workflowFaults(workflow)).toEqual([]);
});

test('every command that they run is there', () => {
  const own = runs.flatMap((run) => run.match(/\.ci\/[\w-]+/g) ?? []);
  const ofPnpm = runs.flatMap((run) => [...run.matchAll(/pnpm@12 ([a-z:]+)/g)].map(([, script = '']) => script));
  expect(new Set(own)).toEqual(new Set(['.ci/run', '.ci/affected-base', '.ci/first-start', '.ci/mutated-packages']));
  expect(own.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(ofPnpm).toEqual(expect.arrayContaining(['test:faults', 'bench', 'test:container', 'turbo']));
  expect(ofPnpm.filter((script) => !(script in scripts) && script !== 'turbo')).toEqual([]);
});

test('a merge queue waits for what main runs, and main for nothing less', () => {
  const ci = workflows.find(({ path }) => path.endsWith('/ci.yml'));
  expect(Object.keys(ci?.on ?? {}).toSorted()).toEqual(['merge_group', 'pull_request', 'push']);
  const everything = ci?.jobs.get('everything');
  expect(everything?.if).toBe("github.event_name != 'pull_request'");
  expect(everything?.steps.map(({ run }) => run)).toContain('.ci/run');
});

test('every job that tries the page keeps its screenshots, above all where that failed', () => {
  const jobs = workflows.flatMap((workflow) => [...workflow.jobs]);
  const trying = jobs.filter(([, { steps }]) => steps.some(({ run = '' }) => /^\.ci\/(run|browser)\b/m.test(run)));
  expect(trying.map(([name]) => name)).toEqual(['gates', 'everything']);
  for (const [name, { steps }] of trying) {
    const kept = steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact@'));
    expect(kept, name).toMatchObject({ if: 'always()', with: { path: 'reports/browser' } });
  }
});

test('the root checks the types of the modules that belong to no package', () => {
  const [, ...others] = (scripts['typecheck'] ?? '').split(' && ');
  const covered = others.map((command) => command.replace('tsc -p ', ''));
  const modules = globSync('turbo/**/*.ts', { cwd: root, exclude: ['turbo/generators/templates/**'] });
  expect(modules.length).toBeGreaterThan(2);
  expect(modules.filter((path) => !covered.includes(dirname(path)))).toEqual([]);
});

test('every PostgreSQL that the README names is tried, and the oldest Nodes that it and the domain name', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, first, last] = /PostgreSQL (\d+) to (\d+)/.exec(readme) ?? [];
  const expected = Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => Number(first) + at);
  const ci = workflows.find(({ path }) => path.endsWith('/ci.yml'));
  const matrixOf = (job: string, name: string) => [ci?.jobs.get(job)?.strategy?.matrix[name] ?? []].flat();
  const newest = ci?.jobs.get('tests')?.steps.flatMap(({ env }) => env?.['TEST_POSTGRES_IMAGE'] ?? []);
  const others = matrixOf('postgres', 'postgres');
  expect([...others.map((version) => `postgres:${version}-alpine`), ...(newest ?? [])]).toEqual(
    expected.map((version) => `postgres:${version}-alpine`),
  );
  const [, oldest] = /^Node (\d+) and npm are all it takes/m.exec(readme) ?? [];
  expect(matrixOf('first-start', 'node')[0]).toBe(Number(oldest));
  const { engines } = JSON.parse(readFileSync(join(root, 'packages/domain/package.json'), 'utf8'));
  expect(`>=${matrixOf('from-tarballs', 'node')[0]}`).toBe(engines.node);
});

test('every package that has mutation tests has them run at night', () => {
  const manifests = globSync(['*/package.json', '*/*/package.json'], { cwd: root, exclude: ['**/node_modules'] });
  const mutated = manifests.filter((path) => 'test:mutation' in scriptsOf(path)).map(dirname);
  const listed: readonly string[] = JSON.parse(String(execFileSync(join(root, '.ci/mutated-packages'))));
  expect(listed.map((folder) => `packages/${folder}`).toSorted()).toEqual(mutated.toSorted());
  expect(mutated.length).toBeGreaterThan(5);
});

describe('a planted fault is found:', () => {
  const pinned = 'actions/checkout@8e8c483db84b4bee98b60c0593521ed34d9990e8 # v6.0.1';
  const sound = `name: Sound
on: push
permissions:
  contents: read
jobs:
  one:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - uses: ${pinned}
        with:
          fetch-depth: 0
          persist-credentials: false
      - run: |
          TURBO_SCM_BASE=$(.ci/affected-base main)
          turbo run test --affected
`;

  test('none in a sound workflow', async () => {
    expect(await workflowFaults(readWorkflow('sound.yml', sound))).toEqual([]);
  });

  const expression = (text: string) => `--affected $\{{ ${text} }}`;
  const tokenFor = (text: string) => `      - env:\n          TURBO_TOKEN: $\{{ ${text} }}\n        run: |`;

  test.each([
    ['a key that there is not', 'runs-on:', 'run-on:', 'unexpected key "run-on"'],
    ['an expression that does not parse', '--affected', expression('github.'), 'unexpected end of input'],
    ['a variable that there is not', '--affected', expression('matrix.none'), 'property "none" is not defined'],
    ['a title that is run as a command', '--affected', expression('github.event.pull_request.title'), 'untrusted'],
    ['a runner that there is not', 'ubuntu-24.04', 'ubuntu-1.04', 'label "ubuntu-1.04" is unknown'],
    ['an action at a tag', pinned, 'actions/checkout@v6', 'pin the action'],
    ['an action at a short commit', '@8e8c483db84b4bee98b60c0593521ed34d9990e8', '@8e8c483', 'pin the action'],
    ['an action without its version', ' # v6.0.1', '', 'pin the action'],
    ['more permissions', 'contents: read', 'contents: write', 'contents: read'],
    ['no permissions', 'permissions:\n  contents: read\n', '', 'contents: read'],
    ['no time-out', '    timeout-minutes: 5\n', '', 'timeout-minutes'],
    ['a token that stays', 'persist-credentials: false', 'persist-credentials: true', 'persist-credentials'],
    ['a shallow clone', 'fetch-depth: 0', 'fetch-depth: 1', 'fetch-depth: 0'],
    ['a cache for main', '      - run: |', tokenFor('secrets.TURBO_TOKEN'), 'only for pull requests'],
    [
      'a cache for pushes',
      '      - run: |',
      tokenFor("github.event_name == 'push' && secrets.TURBO_TOKEN"),
      'only for',
    ],
    ['a base that nobody checked', '$(.ci/affected-base main)', 'main', '.ci/affected-base'],
  ])('%s', async (_, piece, instead, says) => {
    expect(sound).toContain(piece);
    const faults = await workflowFaults(readWorkflow('planted.yml', sound.replace(piece, instead)));
    expect(faults.join('\n')).toContain(says);
  });
});

function scriptsOf(manifest: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(root, manifest), 'utf8')).scripts ?? {};
}
