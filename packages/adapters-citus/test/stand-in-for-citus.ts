import { freshDatabase, runSql } from '@plant-store/testing/postgres';
import { citusStorage } from '../src/store.ts';

/** Imitates the catalog and the functions of Citus 13.2, for which no package is available. */
const catalog = `
  CREATE TABLE pg_dist_node (groupid int, nodename text, nodeport int, noderole text, shouldhaveshards bool DEFAULT true);
  INSERT INTO pg_dist_node VALUES (1, '127.0.0.1', 9701, 'primary'), (2, '127.0.0.1', 9702, 'primary');
  CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char", partkey text);
  CREATE TABLE pg_dist_shard (logicalrelid regclass, shardid int8);
  CREATE TABLE pg_dist_placement (shardid int8, groupid int);
  CREATE FUNCTION create_distributed_table(regclass, text, shard_count int, colocate_with text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO pg_dist_partition VALUES ($1, 'h', $2);
    INSERT INTO pg_dist_shard SELECT $1, at FROM generate_series(1, $3) AS at;
    INSERT INTO pg_dist_placement SELECT at, 1 + at % 2 FROM generate_series(1, $3) AS at;
  $$;
  CREATE FUNCTION create_reference_table(text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO pg_dist_partition VALUES ($1::regclass, 'n', NULL);
  $$;
  CREATE FUNCTION truncate_local_data_after_distributing_table(regclass) RETURNS void LANGUAGE sql AS 'TRUNCATE plants'`;

/** Creates a migrated database, with the stand-in by default, whose table is not distributed. */
export async function citusDatabase(extension = catalog): Promise<string> {
  const connectionString = await freshDatabase();
  await citusStorage({ connectionString }).migrate();
  await runSql(connectionString, extension);
  return connectionString;
}
