import { openDatabase, postgresErrors } from '@plant-store/adapters-postgres/driver';
import { completeServerOptions, type Database, MIGRATION_TABLE } from '@plant-store/store-kit';
import { type Kysely, sql } from 'kysely';
import { postgresOptions } from './connection-string.ts';
import type { CitusOptions } from './options.ts';

/** The number of shards of a distributed table, and the `host:port` of each node that has some. */
export interface Distribution {
  readonly shards: number;
  readonly nodes: readonly string[];
}

/**
 * Distributes the table of plants by id over the nodes of a Citus cluster, removes the copy on the coordinator, and makes the
 * migration table a reference table, so that the service can use every node. The database has to be migrated, and
 * `connectionString` must lead to the coordinator. It may run again. Existing plants are moved without a timeout, and adds wait.
 *
 * @param shards the number of shards of the table. {@link SHARDS_PER_NODE} for each node by default.
 * @returns the resulting distribution. It calls `onWarning` if one node has all shards, or the table already had another number.
 * @throws {Error} if the database has no Citus.
 * @throws {StoreUnavailable} if the database cannot be reached.
 * @throws {RangeError} if an option is out of its range.
 */
export async function distributeCitus(options: CitusOptions, shards?: number): Promise<Distribution> {
  const completed = completeServerOptions(postgresOptions(options));
  const { db } = openDatabase({ ...completed, dropAfterMs: Infinity });
  try {
    if (!(await hasCitus(db)))
      throw new Error('this database has no Citus: install it on every node, and run CREATE EXTENSION citus in it');
    // Without colocation, because a colocated table cannot be distributed while the shards of the others move.
    if (!(await isDistributed(db, 'plants')))
      await sql`select create_distributed_table('plants', 'id', shard_count => ${shards ?? (await shardsFor(db))}::int, colocate_with => 'none')`.execute(
        db,
      );
    await sql`
      select truncate_local_data_after_distributing_table('plants') where pg_relation_size('plants') > 0`.execute(db);
    if (!(await isDistributed(db, MIGRATION_TABLE)))
      await sql`select create_reference_table(${MIGRATION_TABLE})`.execute(db);

    const distribution = await read(db);
    for (const warning of await warnings(db, distribution, shards)) completed.onWarning(warning);
    return distribution;
  } finally {
    await db.destroy();
  }
}

/**
 * Reads the distribution of the table of plants; undefined if it is not distributed.
 *
 * @throws {StoreUnavailable} if the database cannot be reached.
 * @throws {RangeError} if an option is out of its range.
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
  const { rows } = await sql`select where to_regclass('pg_dist_partition') is not null`.execute(db);
  return rows.length > 0;
}

/** 4: a batch takes a statement for each shard, so fewer shards are faster, and a cluster can still grow to four times its nodes. */
const SHARDS_PER_NODE = 4;

/** If the cluster has no nodes yet, Citus uses the coordinator as one. */
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
  requested: number | undefined,
): Promise<readonly string[]> {
  const { shards, nodes } = distribution;
  const all: string[] = [];
  if (requested !== undefined && requested !== shards)
    all.push(
      `the table plants already has ${shards} shards: to change that, run SELECT alter_distributed_table('plants', shard_count => ${requested}), which copies all plants and blocks adds meanwhile`,
    );
  if (nodes.length === 1)
    all.push(
      `all ${shards} shards are on one node, ${nodes[0]}: add others (SELECT citus_add_node), then SELECT citus_rebalance_start(${await transferMode(db)})`,
    );
  return all;
}

/** Citus' default mode needs `wal_level = logical`, which is not PostgreSQL's default. */
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
  // A replicated shard is on several nodes.
  const { rows } = await sql<Distribution>`
    select count(distinct shardid)::int as shards,
      coalesce(array_agg(distinct nodename || ':' || nodeport), '{}') as nodes
    from pg_dist_shard join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
    where logicalrelid = to_regclass('plants') and noderole = 'primary'`.execute(db);
  const [distribution] = rows as [Distribution];
  return distribution;
}
