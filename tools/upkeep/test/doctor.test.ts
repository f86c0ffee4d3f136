import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

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

test('a TEST_DATABASE_URL that leads nowhere is missing, with what to do, and without the password', () => {
  const { status, stdout } = doctor({ ...process.env, TEST_DATABASE_URL: 'postgres://me:s3cret@127.0.0.1:1/plants' });
  expect(status).toBe(1);
  expect(stdout).toMatch(
    /^MISSING {2}a PostgreSQL for the tests: TEST_DATABASE_URL cannot be used \(connect ECONNREFUSED 127\.0\.0\.1:1\): set it to .*, or unset it$/m,
  );
  expect(stdout).not.toContain('s3cret');
});

test('one that accepts connections and says nothing is not waited for', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const { status, stdout } = doctor({ ...process.env, TEST_DATABASE_URL: `postgres://me:s3cret@127.0.0.1:${port}/x` });
  expect(status).toBe(1);
  expect(stdout).toMatch(/^MISSING .*: TEST_DATABASE_URL gives no answer within 5 s: .* unset it$/m);
  expect(stdout).not.toContain('s3cret');
});
