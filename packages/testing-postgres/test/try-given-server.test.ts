import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { startDedicatedServer } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test } from 'vitest';

const program = join(import.meta.dirname, '../src/try-given-server.ts');

function tried(url: string) {
  const env = { ...process.env, TEST_DATABASE_URL: url };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('a server that a run can use is said so', async () => {
  const server = await startDedicatedServer();
  onTestFinished(() => server.stop());
  expect(tried(server.url)).toEqual({
    status: 0,
    stdout: 'TEST_DATABASE_URL answers, and its user may create databases\n',
    stderr: '',
  });
});

test('one that a run cannot use is an error of one line, without the password', () => {
  expect(tried('postgres://me:s3cret@127.0.0.1:1/plants')).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^TEST_DATABASE_URL cannot be used \(connect ECONNREFUSED 127\.0\.0\.1:1\): .*\n$/),
  });
});
