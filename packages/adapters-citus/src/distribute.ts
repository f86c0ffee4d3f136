import type { Database } from '@plant-store/store-kit';
import type { SqlDatabase } from '@plant-store/store-kit/sql';
import { type Kysely, sql } from 'kysely';

/** The number of shards of a distributed table, and the `host:port` of each node that has some. */
export interface Distribution {
  readonly shards: number;
  readonly nodes: readonly string[];
}

/**
 * Distributes the table of plants by id, removes the copy on the coordinator, and makes the migration table a reference table, so that the
 * service can use every node. Closes the database.
 */
export async function distribute({ db, errors }: SqlDatabase, shards: number | undefined): Promise<void> {
  try {
    if (!(await hasCitus(db)))
      throw new Error('this database has no Citus: install it on every node, and run CREATE EXTENSION citus in it');
    // Without colocation, because a colocated table cannot be distributed while the shards of the others move.
    if (!(await isDistributed(db, 'plants')))
      await sql`select create_distributed_table('plants', 'id', shard_count => ${shards ?? (await countShards(db))}::int, colocate_with => 'none')`.execute(
        db,
      );
    await sql`
      select truncate_local_data_after_distributing_table('plants') where pg_relation_size('plants') > 0`.execute(db);
    if (!(await isDistributed(db, 'plant_store_migration')))
      await sql`select create_reference_table('plant_store_migration')`.execute(db);
    const found = (await findDistribution(db)).shards;
    if (shards !== undefined && shards !== found)
      throw new Error(
        `the table plants already has ${found} shards: to change that, run SELECT alter_distributed_table('plants', shard_count => ${shards}), which copies all plants and blocks adds meanwhile`,
      );
  } catch (error) {
    throw errors.isTableMissing(error) ? errors.translate(error) : error;
  } finally {
    await db.destroy();
  }
}

/** Reads the distribution of the table of plants; undefined if it is not distributed. Closes the database. */
export async function readDistribution({ db, errors }: SqlDatabase): Promise<Distribution | undefined> {
  try {
    const distribution = (await hasCitus(db)) ? await findDistribution(db) : undefined;
    return distribution && distribution.shards > 0 ? distribution : undefined;
  } catch (error) {
    throw errors.translateOwn(error);
  } finally {
    await db.destroy();
  }
}

/** Whether the database has the extension. */
async function hasCitus(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql`select where to_regclass('pg_dist_partition') is not null`.execute(db);
  return rows.length > 0;
}

/**
 * 4 for each node: a batch takes a statement for each shard, so fewer shards are faster, and a cluster can still grow to four times its
 * nodes. If it has no nodes yet, Citus uses the coordinator as one.
 */
async function countShards(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ shards: number }>`
    select 4 * greatest(1, count(*))::int as shards from pg_dist_node
    where noderole = 'primary' and shouldhaveshards`.execute(db);
  return (rows[0] as { shards: number }).shards;
}

async function isDistributed(db: Kysely<Database>, table: string): Promise<boolean> {
  const { rows } = await sql`select from pg_dist_partition where logicalrelid = ${table}::regclass`.execute(db);
  return rows.length > 0;
}

async function findDistribution(db: Kysely<Database>): Promise<Distribution> {
  // A replicated shard is on several nodes.
  const { rows } = await sql<Distribution>`
    select count(distinct shardid)::int as shards,
      coalesce(array_agg(distinct nodename || ':' || nodeport), '{}') as nodes
    from pg_dist_shard join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
    where logicalrelid = to_regclass('plants') and noderole = 'primary'`.execute(db);
  return rows[0] as Distribution;
}
