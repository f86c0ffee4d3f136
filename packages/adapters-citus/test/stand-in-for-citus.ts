import { migratePostgres } from '@plant-store/adapters-postgres';
import { freshDatabase, runSql } from '@plant-store/testing/postgres';

/** The nodes of the stand-in. */
export const nodes = { even: '127.0.0.1:9701', odd: '127.0.0.1:9702' };

/** Imitates the catalog and the functions of Citus 13.2, for which no package is available. */
const catalog = `
  CREATE TABLE pg_dist_node (groupid int, nodename text, nodeport int, noderole text, commits text DEFAULT 'on',
    shouldhaveshards bool DEFAULT true, responds bool DEFAULT true);
  INSERT INTO pg_dist_node VALUES (1, '127.0.0.1', 9701, 'primary'), (2, '127.0.0.1', 9702, 'primary');
  CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char", partkey text);
  CREATE TABLE pg_dist_shard (logicalrelid regclass, shardid int8, shardminvalue text);
  CREATE TABLE pg_dist_placement (shardid int8, groupid int);
  CREATE FUNCTION citus_truncate_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
  CREATE FUNCTION create_distributed_table(regclass, text, shard_count int, colocate_with text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    EXECUTE format('CREATE TRIGGER truncate_trigger AFTER TRUNCATE ON %s EXECUTE FUNCTION citus_truncate_trigger()', $1);
    INSERT INTO pg_dist_partition VALUES ($1, 'h', $2);
    INSERT INTO pg_dist_shard SELECT $1, at, -2147483648 + at * (4294967296 / $3) FROM generate_series(0, $3 - 1) AS at;
    INSERT INTO pg_dist_placement SELECT at, 1 + at * (SELECT count(*) FROM pg_dist_node WHERE shouldhaveshards)::int / $3
      FROM generate_series(0, $3 - 1) AS at;
  END $$;
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
      SELECT nodename, nodeport, responds, CASE WHEN NOT responds THEN 'connection refused'
        WHEN $1 LIKE '%synchronous_commit%' THEN commits WHEN nodeport = 9702 THEN '7' ELSE '0' END FROM pg_dist_node
  $$`;

/** Creates a migrated database without Citus. */
export async function migratedDatabase(): Promise<string> {
  const connectionString = await freshDatabase();
  await migratePostgres({ connectionString });
  return connectionString;
}

/** Creates a migrated database with the stand-in, whose table is not distributed. */
export async function citusDatabase(): Promise<string> {
  template ??= standIn();
  return freshDatabase(undefined, new URL(await template).pathname.slice(1));
}

/** A copy takes a third of the CPU of a migration. */
let template: Promise<string> | undefined;

async function standIn(): Promise<string> {
  const url = await migratedDatabase();
  await runSql(url, catalog);
  return url;
}
