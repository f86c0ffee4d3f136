import type { Tables } from '@plant-store/sql-store';
import { type Kysely, sql } from 'kysely';
import { hashOfId } from './hash-of-id.ts';

/** A part of the distributed table: the plants whose ids' hashes are in a range. */
interface Shard {
  /** The hash with which its range begins; it goes to where the next one begins. */
  readonly min: number;
  /** The node that has it, as `host:port`. */
  readonly node: string;
}

/** Where Citus keeps plants. */
export interface ShardMap {
  readonly nodes: ReadonlySet<string>;
  /** The same object for all ids of one shard. */
  shardOf(id: bigint): Shard;
  /** An id whose shard the node has; undefined if it has none. */
  idOn(node: string): bigint | undefined;
}

/** Makes the map of shards that cover every hash. */
function shardMap(shards: readonly [Shard, ...Shard[]]): ShardMap {
  const [first, ...others] = shards.toSorted((a, b) => a.min - b.min) as [Shard, ...Shard[]];
  function shardOf(id: bigint): Shard {
    const hash = hashOfId(id);
    return others.findLast(({ min }) => min <= hash) ?? first;
  }
  const nodes = new Set(shards.map(({ node }) => node));
  return {
    nodes,
    shardOf,
    idOn(node) {
      if (!nodes.has(node)) return undefined;
      let id = 0n;
      while (shardOf(id).node !== node) id += 1n;
      return id;
    },
  };
}

/**
 * Reads from the coordinator's catalog how the table of plants is distributed by id; undefined if it is not, or if the database
 * has no Citus.
 *
 * @throws {StoreUnavailable} when the database cannot be reached; what PostgreSQL reports comes as it is.
 */
export async function readShardMap(db: Kysely<Tables>): Promise<ShardMap | undefined> {
  if (!(await hasCitus(db))) return undefined;
  // A shard that is on several nodes belongs to the first.
  const { rows } = await sql<Shard>`
    select distinct on (shardid) shardminvalue::int8::int4 as min, nodename || ':' || nodeport as node
    from pg_dist_partition
      join pg_dist_shard using (logicalrelid) join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
    where logicalrelid = to_regclass('plants') and partmethod = 'h' and noderole = 'primary'
    order by shardid, groupid`.execute(db);
  const [shard, ...others] = rows;
  return shard && shardMap([shard, ...others]);
}

/** Whether the database has the extension. */
export async function hasCitus(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('pg_dist_partition') is not null as there`.execute(db);
  const [{ there }] = rows as [{ there: boolean }];
  return there;
}
