import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { workflowFaults } from './workflow-faults.ts';

const root = join(import.meta.dirname, '../..');
const workflows = globSync('.github/workflows/*.yml', { cwd: root }).map((path) =>
  readFileSync(join(root, path), 'utf8'),
);
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
  ['a pnpm that floats', '.ci/pnpm check:packages', 'npx -y pnpm@12 check:packages', 'pinned'],
  ['a lockfile that is trusted', /- run: \.ci\/check-lockfile/, '- run: echo', 'check-lockfile'],
  ['an installation before the check', '- run: .ci/check-lockfile', PNPM_FIRST, 'check-lockfile'],
  ['one in the same step as a script', '- run: .ci/check-lockfile', SCRIPT_FIRST, 'check-lockfile'],
  ['an image that can be moved', /(postgres:18-alpine)@sha256:[0-9a-f]{64}/, '$1', 'pin postgres:18-alpine'],
  ['one of a matrix', /(postgres:15-alpine)@sha256:[0-9a-f]{64}/, '$1', 'pin postgres:15-alpine'],
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
  expect(workflowFaults(planted)).toEqual([expect.stringContaining(fault)]);
});

test('every script that a workflow or .ci/run names is there', () => {
  const texts = [...workflows, readFileSync(join(root, '.ci/run'), 'utf8')].join('\n');
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = [...texts.matchAll(/(?<![\w/])\.ci\/[\w.-]+/g)].map(([file]) => file);
  const named = [...texts.matchAll(/\.ci\/pnpm ([a-z][a-z:]+)/g)].map(([, script = '']) => script);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((each) => !(each in scripts) && !['install', 'turbo'].includes(each))).toEqual([]);
});
