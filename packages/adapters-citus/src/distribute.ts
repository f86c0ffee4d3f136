import { type Kysely, sql } from 'kysely';
import { openKysely } from '../driver/database.ts';
import { storeUnavailable } from '../errors.ts';
import { completeOptions, type PostgresOptions } from '../options.ts';
import type { Schema } from '../schema.ts';
import { hasCitus } from './shard-map.ts';

/** How the table of plants is spread over a Citus cluster. */
export interface PostgresDistribution {
  readonly shards: number;
  /** The nodes that have them, each as `host:port`. */
  readonly nodes: readonly string[];
}

/**
 * Spreads the table of plants by id over the nodes of a Citus cluster (`create_distributed_table`), removes the copy that
 * this leaves on the coordinator, and gives every node the tables of the migrations, so that each can serve. The database
 * has to be migrated, and `connectionString` lead to the coordinator. What is done already is left as it is. Plants that
 * are there are moved, which takes as long as it takes and keeps adds waiting.
 *
 * @returns how it is spread now. If all of it is on one node, `onWarning` is told.
 * @throws {Error} when the database has no Citus.
 * @throws {StoreUnavailable} when the database cannot be reached.
 * @throws {RangeError} when an option is out of its range.
 */
export async function distributePostgres(options: PostgresOptions): Promise<PostgresDistribution> {
  const completed = completeOptions(options);
  // 0 is no limit.
  const db = openKysely({ ...completed, dropAfterMs: 0 });
  try {
    if (!(await hasCitus(db)))
      throw new Error('this database has no Citus: install it on every node, and run CREATE EXTENSION citus in it');
    if (!(await isDistributed(db, 'plants'))) await sql`select create_distributed_table('plants', 'id')`.execute(db);
    await sql`
      select truncate_local_data_after_distributing_table('plants') where pg_relation_size('plants') > 0`.execute(db);
    for (const table of ['plant_store_migration', 'plant_store_migration_lock'])
      if (!(await isDistributed(db, table))) await sql`select create_reference_table(${table})`.execute(db);

    const distribution = await read(db);
    if (distribution.nodes.length === 1)
      completed.onWarning(
        `all ${distribution.shards} shards are on one node, ${distribution.nodes[0]}: add others (SELECT citus_add_node), then SELECT citus_rebalance_start()`,
      );
    return distribution;
  } finally {
    await db.destroy();
  }
}

/**
 * How the table of plants is spread over a Citus cluster; undefined if it is not.
 *
 * @throws {StoreUnavailable} when the database cannot be reached.
 * @throws {RangeError} when an option is out of its range.
 */
export async function postgresDistribution(options: PostgresOptions): Promise<PostgresDistribution | undefined> {
  const db = openKysely(completeOptions(options));
  try {
    if (!(await hasCitus(db))) return undefined;
    const distribution = await read(db);
    return distribution.shards > 0 ? distribution : undefined;
  } finally {
    await db.destroy();
  }
}

async function isDistributed(db: Kysely<Schema>, table: string): Promise<boolean> {
  const { rows } = await sql`select from pg_dist_partition where logicalrelid = ${table}::regclass`
    .execute(db)
    .catch((error: unknown) => {
      throw storeUnavailable(error);
    });
  return rows.length > 0;
}

async function read(db: Kysely<Schema>): Promise<PostgresDistribution> {
  // A shard may be on several nodes.
  const { rows } = await sql<PostgresDistribution>`
    select count(distinct shardid)::int as shards,
      coalesce(array_agg(distinct nodename || ':' || nodeport), '{}') as nodes
    from pg_dist_shard join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
    where logicalrelid = to_regclass('plants') and noderole = 'primary'`.execute(db);
  const [distribution] = rows as [PostgresDistribution];
  return distribution;
}
