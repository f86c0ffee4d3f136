import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const script = join(import.meta.dirname, '../doctor.mjs');
const doctor = (env: NodeJS.ProcessEnv) => spawnSync(process.execPath, [script], { encoding: 'utf8', env });

test('where these tests run nothing is missing', () => {
  const { status, stdout } = doctor(process.env);
  expect({ status, missing: stdout.match(/^MISSING .*$/gm) }).toEqual({ status: 0, missing: null });
  expect(stdout).toMatch(/^ok {7}the installed runtime: v\d+\./m);
  expect(stdout.trimEnd()).toMatch(/Nothing is missing\.$/);
});

test('what is missing is named, with what to do about it', () => {
  const { status, stdout } = doctor({ PATH: '/nowhere' });
  expect(status).toBe(1);
  expect(stdout).toMatch(/^MISSING {2}git: install git$/m);
  expect(stdout.trimEnd()).toMatch(/\b1 missing\.$/);
});
