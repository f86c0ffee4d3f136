import { Readable } from 'node:stream';
import { freshDatabase, runSql } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test } from 'vitest';
import { composedService } from '../composed-service.ts';
import { migrates } from '../migrates.ts';
import { runToEnd } from '../run-in-process.ts';

migrates('postgres', freshDatabase);

test('a service says within seconds whom a migration waits for, and is not ready', async () => {
  const DATABASE_URL = await freshDatabase();
  await holdMigrationLock(DATABASE_URL, 'a stranger');
  const log: string[] = [];
  const holder = 'held by pid \\d+, role ".+", application "a stranger"';
  const closing = new AbortController();
  const starting = composedService({ DATABASE_URL, MIGRATE_LOCK_TIMEOUT_MS: '1500' }, log, closing.signal);
  const warnings = () => log.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
  await expect.poll(() => warnings().length, { timeout: 20_000 }).toBeGreaterThan(1);
  closing.abort();
  await expect(starting).rejects.toThrow('aborted');
  const told = warnings().map(({ msg }) => msg);
  expect(told.slice(0, 2)).toEqual([
    expect.stringMatching(`^waiting for the migration lock, up to 1500 ms: ${holder}$`),
    expect.stringMatching(`^not ready: the migration lock was not free within 1500 ms: ${holder}\\.`),
  ]);
});

test('import says whom a migration waits for', async () => {
  const DATABASE_URL = await freshDatabase();
  await holdMigrationLock(DATABASE_URL, 'a stranger');
  const stdin = Readable.from(['']);
  const args = ['import', '-', '--format', 'ndjson', '--retry-for', '1', '--rejects', '/dev/null'];
  const { output } = await runToEnd(args, { DATABASE_URL, MIGRATE_LOCK_TIMEOUT_MS: '1500' }, { stdin });
  expect(output).toMatch(/^plant-store: waiting for the migration lock, up to 1500 ms: held by .*"a stranger"$/m);
});

test('migrate status says over which nodes the plants are distributed, and export which of them hold some back', async () => {
  const url = await freshDatabase();
  const DATABASE_URL = url.replace('postgres:', 'citus:');
  await runToEnd(['migrate', 'up'], { DATABASE_URL });
  // Replaces the catalog and a function of Citus.
  await runSql(
    url,
    `CREATE TABLE pg_dist_partition AS SELECT 'plants'::regclass AS logicalrelid, 'h' AS partmethod;
     CREATE TABLE pg_dist_shard AS SELECT 'plants'::regclass AS logicalrelid, shardid, '0' AS shardminvalue FROM generate_series(1, 32) AS shardid;
     CREATE TABLE pg_dist_placement AS SELECT shardid, shardid % 2 AS groupid FROM pg_dist_shard;
     CREATE TABLE pg_dist_node AS SELECT at AS groupid, repeat(chr(27), 1 - at) || 'w' || at AS nodename, 5432 AS nodeport, 'primary' AS noderole FROM generate_series(0, 1) AS at;
     CREATE FUNCTION run_command_on_workers(text) RETURNS TABLE (nodename text, nodeport int, success boolean, result text)
       LANGUAGE sql AS $$ VALUES ('w1', 5432, true, '7') $$;
     CREATE FUNCTION citus_truncate_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
     CREATE TRIGGER truncate_trigger AFTER TRUNCATE ON plants EXECUTE FUNCTION citus_truncate_trigger()`,
  );
  const { code, output } = await runToEnd(['migrate', 'status'], { DATABASE_URL });
  expect(code).toBe(0);
  expect(output).toMatch(/^distributed {2}32 shards on 2 nodes: \\u001bw0:5432, w1:5432$/m);
  const exported = await runToEnd(['export'], { DATABASE_URL });
  expect(exported.output).toMatch(/^plant-store: Citus node w1:5432 has 7 prepared transactions: /m);

  // With the adapter for one server it does not start.
  const fault = /public.plants cannot keep plants: Citus distributes it: use a URL that begins with citus:\/\//;
  await expect(composedService({ DATABASE_URL: url })).rejects.toThrow(fault);
});

async function holdMigrationLock(url: string, application: string): Promise<void> {
  const theirs = new URL(url);
  theirs.searchParams.set('application_name', application);
  const holding = runSql(theirs.href, 'SELECT pg_advisory_lock(7310868735423014481), pg_sleep(600)').catch(() => {});
  onTestFinished(async () => {
    await runSql(url, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [
      application,
    ]);
    await holding;
  });
  await expect
    .poll(() => runSql(url, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted"))
    .toHaveLength(1);
}
