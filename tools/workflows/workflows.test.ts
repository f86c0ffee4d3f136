import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Suites, suitesWithoutJob } from './suites-without-job.ts';
import { imageFaults, workflowFaults } from './workflow-faults.ts';

const root = join(import.meta.dirname, '../..');
const text = (path: string) => readFileSync(join(root, path), 'utf8');
/** Where a workflow has what .ci/store-tests.mjs prints. */
const storeTasks = /\$\{\{ env\.STORE_TASKS \}\}/g;
const workflows = globSync('.github/workflows/*.yml', { cwd: root }).map(text);
const [sound = ''] = workflows.filter((text) => text.includes('TURBO_TOKEN'));

const PNPM_FIRST = '- run: npx pnpm install\n      - run: .ci/check-lockfile';
const SCRIPT_FIRST = '- run: .ci/mutated-packages && npm ci\n      - run: .ci/check-lockfile';

test('the workflows are pinned, have the least permissions, and end', () => {
  expect(workflows.length).toBeGreaterThan(1);
  expect(workflows.flatMap(workflowFaults)).toEqual([]);
});

test.each([
  ['an action at a tag', /@[0-9a-f]{40} # v6\.0\.1/, '@v6', 'pin '],
  ['an action without its version', / # v6\.0\.1/, '', 'pin '],
  ['more permissions', 'contents: read', 'contents: write', 'permissions'],
  ['no time-out', /timeout-minutes: \d+/, 'continue-on-error: false', 'timeout-minutes'],
  ['a token that stays', 'persist-credentials: false', 'persist-credentials: true', 'persist-credentials'],
  ['a group for all of main', ' || github.sha', '', 'concurrency'],
  ['one of a job', /\n {4}steps:/, '\n    concurrency: release\n    steps:', 'concurrency'],
  ['a pnpm that floats', '.ci/pnpm check:packages', 'npx -y pnpm@12 check:packages', 'pinned'],
  ['a lockfile that is trusted', /- run: \.ci\/check-lockfile/, '- run: echo', 'check-lockfile'],
  ['an installation before the check', '- run: .ci/check-lockfile', PNPM_FIRST, 'check-lockfile'],
  ['one in the same step as a script', '- run: .ci/check-lockfile', SCRIPT_FIRST, 'check-lockfile'],
  ['a token for every job', /\nenv:\n/, '\nenv:\n  X: secrets.X\n', 'on the step'],
  ['a token for a whole job', /\n {4}steps:/, '\n    env:\n      X: secrets.X\n    steps:', 'on the step'],
  ['a token for a step that installs', '.ci/pnpm install --frozen-lockfile', '.ci/pnpm install', 'for turbo alone'],
  [
    'a token for another program',
    /- run: \.ci\/first-start/,
    '- run: .ci/first-start\n        env:\n          X: secrets.X',
    'for turbo alone',
  ],
  [
    'a cache for main',
    "github.event_name == 'pull_request' && secrets.TURBO_TOKEN",
    'secrets.TURBO_TOKEN',
    'TURBO_TOKEN',
  ],
])('%s is refused', (_, piece, instead, fault) => {
  const planted = sound.replace(piece, instead);
  expect(planted).not.toBe(sound);
  // Where the workflows have faults already, these are for the test above.
  const before = workflowFaults(sound);
  const more = workflowFaults(planted).filter((each) => !before.includes(each));
  expect(more).toEqual([expect.stringContaining(fault)]);
});

test.each(['on: push', 'on: [pull_request, push]', 'on:\n  push:'])(
  'a group for all of main is refused with %j',
  (on) => {
    expect(workflowFaults(`${on}\nconcurrency: ci\njobs: {}`)).toContainEqual(expect.stringMatching(/^concurrency/));
  },
);

test('the images of servers are pinned', () => {
  const lists = globSync('packages/testing-*/images.json', { cwd: root }).map((path) => JSON.parse(text(path)));
  expect(lists.length).toBeGreaterThan(0);
  expect(lists.flatMap(imageFaults)).toEqual([]);
  expect(imageFaults([...lists.flat(), 'postgres:18-alpine'])).toEqual(['pin postgres:18-alpine']);
});

describe('every suite of tests is run by a job', () => {
  const storeTests = (what: string) =>
    execFileSync(process.execPath, ['.ci/store-tests.mjs', what], { cwd: root, encoding: 'utf8' });
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const files = String(listed).split('\0');
  const suites: Suites = {
    scripts: files
      .filter((path) => /^(?!turbo\/).*package\.json$/.test(path))
      .flatMap((path) => Object.entries<string>(JSON.parse(text(path)).scripts ?? {})),
    files: files.filter((path) => path.endsWith('.test.ts') && !path.startsWith('turbo/')),
    engines: globSync('packages/testing-*/src/global-setup.ts', { cwd: root }).map((path) =>
      path.replace(/^packages\/testing-|\/src\/.*/g, ''),
    ),
    jobs: [...workflows, ...globSync('.ci/*', { cwd: root }).map(text)]
      .join('\n')
      .replaceAll(storeTasks, storeTests('tasks').trim()),
  };

  test('and none is forgotten', () => {
    expect(suitesWithoutJob(suites)).toEqual([]);
  });

  test.each<[what: string, planted: Partial<Suites>, fault: string]>([
    ['a script', { scripts: [...suites.scripts, ['test:planted', 'true']] }, 'the script test:planted'],
    ['an engine', { engines: [...suites.engines, 'planted'] }, 'the tests of the project api-planted'],
    ['a package', { files: [...suites.files, 'packages/planted/test/a.test.ts'] }, 'the tests of the project planted'],
    ['a file', { files: ['packages/domain/src/a.test.ts'] }, 'packages/domain/src/a.test.ts: tests are below test/'],
    ['the job of stores', { jobs: workflows.join().replaceAll(storeTasks, '') }, 'the script test:postgres'],
  ])('%s without one is noticed', (_, planted, fault) => {
    expect(suitesWithoutJob({ ...suites, ...planted })).toContain(`no job runs ${fault}`);
  });

  test('the newest image of an engine and the older ones are all its images', () => {
    const [, newest] = /^TEST_POSTGRES_IMAGE=(.*)$/m.exec(storeTests('newest')) ?? [];
    const older: { image: string; task: string }[] = JSON.parse(storeTests('older'));
    const images = JSON.parse(text('packages/testing-postgres/images.json'));
    const ofPostgres = older.filter(({ task }) => task === 'test:postgres').map(({ image }) => image);
    expect([newest, ...ofPostgres]).toEqual(images);
  });
});

test('every script that a workflow or .ci/run names is there', () => {
  const texts = [...workflows, text('.ci/run')].join('\n');
  const { scripts } = JSON.parse(text('package.json'));
  const files = [...texts.matchAll(/(?<![\w/])\.ci\/[\w.-]+/g)].map(([file]) => file);
  const named = [...texts.matchAll(/\.ci\/pnpm ([a-z][a-z:]+)/g)].map(([, script = '']) => script);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((each) => !(each in scripts) && !['install', 'turbo'].includes(each))).toEqual([]);
});
