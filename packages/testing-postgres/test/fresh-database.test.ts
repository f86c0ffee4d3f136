import { copyOfDatabase, freshDatabase, runSql } from '@plant-store/testing-postgres';
import pg from 'pg';
import { expect, test } from 'vitest';

test('a fresh database is empty, encoded in UTF-8, and waits for its commits', async () => {
  const url = await freshDatabase();
  const [database] = await runSql(
    url,
    `SELECT current_setting('server_encoding') AS encoding,
            current_setting('synchronous_commit') AS commit,
            (SELECT count(*)::int FROM pg_tables WHERE schemaname = 'public') AS tables`,
  );
  expect(database).toEqual({ encoding: 'UTF8', commit: 'on', tables: 0 });
});

test('each is a separate database, even if many are created at once', async () => {
  const urls = await Promise.all(Array.from({ length: 8 }, () => freshDatabase()));
  await Promise.all(urls.map((url) => runSql(url, 'CREATE TABLE plants ()')));
  expect(new Set(urls).size).toBe(8);
});

test('a copy has what the other database has, even if a client is still connected to that', async () => {
  const url = await freshDatabase();
  await runSql(url, 'CREATE TABLE plants (id int); INSERT INTO plants VALUES (7)');
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  // PostgreSQL waits five seconds for it to disconnect.
  const copy = await copyOfDatabase(url);
  await runSql(url, 'DELETE FROM plants');
  expect(await runSql(copy, 'SELECT id FROM plants')).toEqual([{ id: 7 }]);
});
