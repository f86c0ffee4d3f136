import { runSql, startDedicatedServer } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test } from 'vitest';
import { startSharedServer } from '../src/shared-server.ts';

test('an unreachable TEST_DATABASE_URL fails with a hint, and without the password', async () => {
  const starting = startSharedServer({ TEST_DATABASE_URL: 'postgres://me:s3cret@127.0.0.1:1/plants' });
  const error: Error = await starting.then(
    () => expect.fail('it started'),
    (reason) => reason,
  );
  expect(error.message).toBe(
    'TEST_DATABASE_URL cannot be used (connect ECONNREFUSED 127.0.0.1:1): set it to postgres://user:password@host:port/database of a server on which the user may create databases, or unset it',
  );
});

test('so does one that is not a URL', async () => {
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

test('a TEST_POSTGRES_IMAGE that cannot be started is not replaced by another server', async () => {
  // The image does not exist, and its registry is unreachable: the server cannot be started, with or without Docker.
  await expect(startSharedServer({ TEST_POSTGRES_IMAGE: 'localhost:1/no-such-image' })).rejects.toThrow(
    /^TEST_POSTGRES_IMAGE cannot be used \(.*\): start Docker and name an image that it has or can pull, or unset it$/s,
  );
});

test('TEST_POSTGRES_IMAGE and TEST_DATABASE_URL exclude each other', async () => {
  await expect(
    startSharedServer({ TEST_POSTGRES_IMAGE: 'postgres:15-alpine', TEST_DATABASE_URL: 'postgres://127.0.0.1/x' }),
  ).rejects.toThrow('name two servers for the tests: unset one of them');
});
