import { migratePostgres } from '@plant-store/adapters-postgres';
import type { NewPlant } from '@plant-store/domain';
import { copyOfDatabase, freshDatabase, runSql } from '@plant-store/testing-postgres';
import { hashOfId } from '../src/cluster/hash-of-id.ts';

/** The nodes of the stand-in: `even` has the shards of negative hashes, `odd` the others. */
export const nodes = { even: '127.0.0.1:9701', odd: '127.0.0.1:9702' };

/** Plants of both nodes, and of each. */
export const all = Array.from({ length: 40 }, (_, at): NewPlant => ({ id: BigInt(at), name: `plant ${at}`, tag: '' }));
export const [even, odd] = [all.filter(({ id }) => hashOfId(id) < 0), all.filter(({ id }) => hashOfId(id) >= 0)];

/** Replaces Citus 13.2, of which no package is available: its catalog of distributed tables, and its functions. */
const catalog = `
  CREATE TABLE pg_dist_node (groupid int, nodename text, nodeport int, noderole text, commits text DEFAULT 'on',
    shouldhaveshards bool DEFAULT true);
  INSERT INTO pg_dist_node VALUES (1, '127.0.0.1', 9701, 'primary'), (2, '127.0.0.1', 9702, 'primary');
  CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char", partkey text);
  CREATE TABLE pg_dist_shard (logicalrelid regclass, shardid int8, shardminvalue text);
  CREATE TABLE pg_dist_placement (shardid int8, groupid int);
  CREATE FUNCTION create_distributed_table(regclass, text, shard_count int) RETURNS void LANGUAGE sql AS $$
    INSERT INTO pg_dist_partition VALUES ($1, 'h', $2);
    INSERT INTO pg_dist_shard SELECT $1, at, -2147483648 + at * (4294967296 / $3) FROM generate_series(0, $3 - 1) AS at;
    INSERT INTO pg_dist_placement SELECT at, 1 + at * (SELECT count(*) FROM pg_dist_node WHERE shouldhaveshards)::int / $3
      FROM generate_series(0, $3 - 1) AS at;
  $$;
  CREATE FUNCTION create_reference_table(text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO pg_dist_partition VALUES ($1::regclass, 'n', NULL);
  $$;
  CREATE TABLE truncations (times int);
  INSERT INTO truncations VALUES (0);
  CREATE FUNCTION truncate_local_data_after_distributing_table(regclass) RETURNS void LANGUAGE sql AS $$
    UPDATE truncations SET times = times + 1;
    TRUNCATE plants;
  $$;
  CREATE FUNCTION run_command_on_workers(text)
    RETURNS TABLE (nodename text, nodeport int, success boolean, result text) LANGUAGE sql AS $$
      SELECT nodename, nodeport, true, CASE WHEN $1 = 'show synchronous_commit' THEN commits
        WHEN nodeport = 9702 THEN '7' ELSE '0' END FROM pg_dist_node
      UNION ALL VALUES ('127.0.0.1', 9703, false, 'unreachable');
  $$`;

/**
 * Nodes that can be dead, with the errors of a coordinator whose node was killed, or frozen. What touches a plant reaches
 * its node. Inserts are recorded.
 */
const reachableNodes = `
  CREATE TABLE node_faults (node int, fault text);
  CREATE FUNCTION reached(id int8) RETURNS boolean LANGUAGE plpgsql AS $$
    DECLARE number int := CASE WHEN hashint8(id) < 0 THEN 1 ELSE 2 END;
    BEGIN
      IF EXISTS (SELECT FROM node_faults WHERE node = number AND fault = 'dead') THEN
        RAISE 'connection to the remote node plants@127.0.0.1:970% failed with the following error: Connection refused', number
          USING ERRCODE = '08006';
      END IF;
      WHILE EXISTS (SELECT FROM node_faults WHERE node = number AND fault = 'frozen') LOOP PERFORM pg_sleep(0.01); END LOOP;
      RETURN true;
    END $$;
  ALTER TABLE plants RENAME TO plants_of_nodes;
  CREATE VIEW plants AS SELECT * FROM plants_of_nodes WHERE reached(id);
  CREATE TABLE inserts (transaction bigint, shard int, statement text, lock_timeout text, propagated text, id int8);
  CREATE FUNCTION record() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM reached(NEW.id);
    INSERT INTO inserts VALUES (txid_current(), hashint8(NEW.id) >> 30, current_query(),
      current_setting('lock_timeout'), current_setting('citus.propagate_set_commands', true), NEW.id);
    RETURN NEW;
  END $$;
  CREATE TRIGGER record BEFORE INSERT ON plants_of_nodes FOR EACH ROW EXECUTE FUNCTION record()`;

/** A migrated database without the catalog, as before the extension was created. */
export async function migratedDatabase(): Promise<string> {
  template ??= migrated();
  // The next test tries again.
  template.catch(() => (template = undefined));
  return copyOfDatabase(await template);
}

let template: Promise<string> | undefined;

async function migrated(): Promise<string> {
  const connectionString = await freshDatabase();
  await migratePostgres({ connectionString });
  return connectionString;
}

/** A migrated database with the catalog, whose table of plants is not distributed yet. */
export async function citusDatabase(): Promise<string> {
  const url = await migratedDatabase();
  await createCitus(url);
  return url;
}

/** The extension arrives. */
export async function createCitus(url: string): Promise<void> {
  await runSql(url, catalog);
}

/** The same with nodes that can fail. */
export async function citusWithNodes(): Promise<string> {
  const url = await citusDatabase();
  await withNodes(url);
  return url;
}

/** Nodes that can fail. */
export async function withNodes(url: string): Promise<void> {
  await runSql(url, reachableNodes);
}

/** Has a node fail until the returned function is called. */
export async function startFault(url: string, node: keyof typeof nodes, fault: 'dead' | 'frozen') {
  const number = node === 'even' ? 1 : 2;
  await runSql(url, 'INSERT INTO node_faults VALUES ($1, $2)', [number, fault]);
  return () => runSql(url, 'DELETE FROM node_faults WHERE node = $1', [number]);
}
