import { freshDatabase, runSql } from '@plant-store/testing-postgres';
import { afterEach, expect, test, vi } from 'vitest';
import setup from '../src/global-setup.ts';
import type { ProvidedPostgres } from '../src/provided.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A project of a run whose TEST_DATABASE_URL is the database that it is given. */
function projectOn(url: string) {
  vi.stubEnv('TEST_DATABASE_URL', url);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const provide = vi.fn<(key: 'postgres', value: ProvidedPostgres) => void>();
  return { provide, provided: () => provide.mock.calls[0]?.[1] };
}

test('projects of one run share a server; what they created is removed after the last one', async () => {
  const url = await freshDatabase();
  const [one, other] = [projectOn(url), projectOn(url)];
  const tearDowns = await Promise.all([setup(one), setup(other)]);
  expect(one.provided()).toEqual({
    url,
    databasePrefix: expect.stringMatching(/^plant_store_test_[0-9a-f]{8}_$/),
    fsync: (await runSql(url, 'SHOW fsync'))[0]?.['fsync'] === 'on',
  });
  expect(other.provided()).toEqual(one.provided());

  const name = `${one.provided()?.databasePrefix}made_by_a_test`;
  const count = async () => (await runSql(url, 'SELECT FROM pg_database WHERE datname = $1', [name])).length;
  await runSql(url, `CREATE DATABASE ${name}`);
  await tearDowns[0]?.();
  expect(await count()).toBe(1);
  await tearDowns[1]?.();
  expect(await count()).toBe(0);
});

test('a run prints once which server and version it uses', async () => {
  const project = projectOn(await freshDatabase());
  const tearDowns = [await setup(project), await setup(project)];
  for (const tearDown of tearDowns) await tearDown();
  const lines = vi.mocked(process.stderr.write).mock.calls;
  expect(lines).toEqual([[expect.stringMatching(/^PostgreSQL \d+\.\d+.* for the tests: TEST_DATABASE_URL\n$/)]]);
});
