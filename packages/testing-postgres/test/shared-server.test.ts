import { runSql, startDedicatedServer } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startSharedServer } from '../src/shared-server.ts';

test('a TEST_DATABASE_URL that leads nowhere fails with what to do, and without the password', async () => {
  const starting = startSharedServer({ TEST_DATABASE_URL: 'postgres://me:s3cret@127.0.0.1:1/plants' });
  const error: Error = await starting.then(
    () => expect.fail('it started'),
    (reason) => reason,
  );
  expect(error.message).toBe(
    'TEST_DATABASE_URL cannot be used (connect ECONNREFUSED 127.0.0.1:1): set it to postgres://user:password@host:port/database of a server on which the user may create databases, or unset it',
  );
});

test('so does one that is no URL', async () => {
  await expect(startSharedServer({ TEST_DATABASE_URL: 'postgres://me:s3cret@/plants' })).rejects.toThrow(
    'TEST_DATABASE_URL cannot be used (it is not a URL)',
  );
});

test('so does one whose user may not create databases', async () => {
  const server = await startDedicatedServer();
  onTestFinished(() => server.stop());
  await runSql(server.url, 'CREATE ROLE gardener LOGIN');
  const url = server.url.replace('//postgres@', '//gardener@');
  await expect(startSharedServer({ TEST_DATABASE_URL: url })).rejects.toThrow('its user may not create databases');
});

test('a TEST_POSTGRES_IMAGE is not replaced by another server where Docker does not answer', async () => {
  vi.stubEnv('DOCKER_HOST', 'tcp://127.0.0.1:1');
  // It has engines of its own to look for; this one is asked first, and alone.
  vi.stubEnv('TESTCONTAINERS_HOST_OVERRIDE', '127.0.0.1');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(startSharedServer({ TEST_POSTGRES_IMAGE: 'postgres:15-alpine' })).rejects.toThrow(
    /^TEST_POSTGRES_IMAGE cannot be used \(.*\): start Docker, or unset it$/,
  );
});

test('nor may a TEST_DATABASE_URL stand beside it', async () => {
  await expect(
    startSharedServer({ TEST_POSTGRES_IMAGE: 'postgres:15-alpine', TEST_DATABASE_URL: 'postgres://127.0.0.1/x' }),
  ).rejects.toThrow('name two servers for the tests: unset one of them');
});
