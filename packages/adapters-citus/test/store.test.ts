import { runSql } from '@plant-store/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { storageAdapter } from '../src/storage-adapter.ts';
import { citusDatabase } from './stand-in-for-citus.ts';

const at = (url: string) =>
  storageAdapter.at(url.replace(/^postgres/, 'citus'), { onError() {}, timeoutMs: 20_000, connectWithinMs: 10_000 });

test('the table of plants is distributed once, by id, and its copy on the coordinator is removed', async () => {
  const url = await citusDatabase();
  const { commands = {}, details } = at(url);
  expect(await details?.()).toEqual([]);
  await runSql(url, `INSERT INTO plants VALUES (1, 'Fern')`);
  for (let time = 0; time < 2; time += 1) await commands['distribute']?.();
  expect(await details?.()).toEqual(['distributed  8 shards on 2 nodes: 127.0.0.1:9701, 127.0.0.1:9702']);
  const tables = await runSql(url, 'SELECT logicalrelid::text AS name, partkey AS key FROM pg_dist_partition');
  expect(tables).toEqual([
    { name: 'plants', key: 'id' },
    { name: 'plant_store_migration', key: null },
  ]);
  expect(await runSql(url, 'SELECT FROM plants')).toEqual([]);
  const wanted = commands['distribute']?.(12);
  await expect(wanted).rejects.toThrow(/8 shards: .* alter_distributed_table\('plants', shard_count => 12\)/);
});

test('without Citus it works as on PostgreSQL, but is not distributed; commits never use synchronous_commit = off', async () => {
  const url = await citusDatabase(`CREATE TABLE seen (setting text);
    CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$;
    CREATE TRIGGER see BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION see()`);
  await runSql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
  await expect(at(url).commands?.['distribute']?.()).rejects.toThrow('CREATE EXTENSION citus');
  const store = await at(url).open();
  onTestFinished(() => store.close());
  const fern = { id: 1n, name: 'Fern' };
  expect(await store.plants.add(fern)).toEqual({ outcome: 'added' });
  expect(await store.plants.add(fern)).toEqual({ outcome: 'exists', plant: { name: 'Fern' } });
  expect(await runSql(url, 'SELECT DISTINCT setting FROM seen')).toEqual([{ setting: 'on' }]);
});
