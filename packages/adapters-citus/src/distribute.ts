import { openDatabase, postgresErrors } from '@plant-store/adapters-postgres/driver';
import { completeServerOptions, type Distribution } from '@plant-store/store-kit';
import type { Database } from '@plant-store/store-kit/sql';
import { type Kysely, sql } from 'kysely';
import { postgresOptions } from './connection-string.ts';
import type { CitusOptions } from './options.ts';

/**
 * Spreads the table of plants by id over the nodes of a Citus cluster (`create_distributed_table`), removes the copy that
 * this leaves on the coordinator, and gives every node the tables of the migrations, so that each can serve. The database
 * has to be migrated, and `connectionString` lead to the coordinator. What is done already is left as it is. Plants that
 * are there are moved, which takes as long as it takes and keeps adds waiting.
 *
 * @param shards of the whole table; {@link SHARDS_PER_NODE} for each node by default.
 * @returns how it is spread now. If all of it is on one node, or the number of shards is another, `onWarning` is told.
 * @throws {Error} when the database has no Citus.
 * @throws {StoreUnavailable} when the database cannot be reached.
 * @throws {RangeError} when an option is out of its range.
 */
export async function distributeCitus(options: CitusOptions, shards?: number): Promise<Distribution> {
  const completed = completeServerOptions(postgresOptions(options));
  const { db } = openDatabase({ ...completed, dropAfterMs: Infinity });
  try {
    if (!(await hasCitus(db)))
      throw new Error('this database has no Citus: install it on every node, and run CREATE EXTENSION citus in it');
    // Alone: a table that shares its shards' places with others cannot be made while these are moved.
    if (!(await isDistributed(db, 'plants')))
      await sql`select create_distributed_table('plants', 'id', shard_count => ${shards ?? (await shardsFor(db))}::int, colocate_with => 'none')`.execute(
        db,
      );
    await sql`
      select truncate_local_data_after_distributing_table('plants') where pg_relation_size('plants') > 0`.execute(db);
    for (const table of ['plant_store_migration', 'plant_store_migration_lock'])
      if (!(await isDistributed(db, table))) await sql`select create_reference_table(${table})`.execute(db);

    const distribution = await read(db);
    for (const warning of await warnings(db, distribution, shards)) completed.onWarning(warning);
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
export async function citusDistribution(options: CitusOptions): Promise<Distribution | undefined> {
  const { db } = openDatabase(completeServerOptions(postgresOptions(options)));
  try {
    if (!(await hasCitus(db))) return undefined;
    const distribution = await read(db);
    return distribution.shards > 0 ? distribution : undefined;
  } finally {
    await db.destroy();
  }
}

/** Whether the database has the extension. */
export async function hasCitus(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('pg_dist_partition') is not null as there`.execute(db);
  return rows[0]?.there === true;
}

/**
 * 4: a batch has a statement for each shard of its node, so few of them store more plants a second. With them a cluster can
 * still grow to four times its nodes before anything but whole shards has to move.
 */
const SHARDS_PER_NODE = 4;

/** A cluster that has no node yet makes one of the coordinator. */
async function shardsFor(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ nodes: number }>`
    select greatest(1, count(*))::int as nodes from pg_dist_node where noderole = 'primary' and shouldhaveshards`.execute(
    db,
  );
  const [{ nodes }] = rows as [{ nodes: number }];
  return SHARDS_PER_NODE * nodes;
}

async function warnings(
  db: Kysely<Database>,
  distribution: Distribution,
  wanted: number | undefined,
): Promise<readonly string[]> {
  const { shards, nodes } = distribution;
  const all: string[] = [];
  if (wanted !== undefined && wanted !== shards)
    all.push(
      `the plants have ${shards} shards already: SELECT alter_distributed_table('plants', shard_count => ${wanted}) copies them all into ${wanted}, and creates wait until it has`,
    );
  if (nodes.length === 1)
    all.push(
      `all ${shards} shards are on one node, ${nodes[0]}: add others (SELECT citus_add_node), then SELECT citus_rebalance_start(${await transferMode(db)})`,
    );
  return all;
}

/** Citus' default needs `wal_level = logical`, which is not PostgreSQL's. */
async function transferMode(db: Kysely<Database>): Promise<string> {
  const { rows } = await sql<{ level: string }>`select current_setting('wal_level') as level`.execute(db);
  return rows[0]?.level === 'logical' ? '' : `shard_transfer_mode => 'block_writes'`;
}

async function isDistributed(db: Kysely<Database>, table: string): Promise<boolean> {
  const { rows } = await sql`select from pg_dist_partition where logicalrelid = ${table}::regclass`
    .execute(db)
    .catch((error: unknown) => {
      throw postgresErrors.translate(error);
    });
  return rows.length > 0;
}

async function read(db: Kysely<Database>): Promise<Distribution> {
  // A shard may be on several nodes.
  const { rows } = await sql<Distribution>`
    select count(distinct shardid)::int as shards,
      coalesce(array_agg(distinct nodename || ':' || nodeport), '{}') as nodes
    from pg_dist_shard join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
    where logicalrelid = to_regclass('plants') and noderole = 'primary'`.execute(db);
  const [distribution] = rows as [Distribution];
  return distribution;
}
