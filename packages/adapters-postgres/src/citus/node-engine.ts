import type { NewPlant } from '@plant-store/domain';
import type { StorageEngine } from '@plant-store/group-commit';
import { type Rows, resolveConflicts } from '../conflicts.ts';
import type { Row, Statement } from '../driver/submitted.ts';
import { isLockTimeout, isTransient, refusesPlant, toStoreUnavailable } from '../errors.ts';
import { added } from '../insert-batch.ts';
import type { Inserted } from '../insert-each.ts';
import { idOf, idsOf, LOCK_TIMEOUT_MS, lockMany, notStored, plantIn } from '../statements.ts';
import type { NodeDatabase } from './node-database.ts';
import type { ShardMap } from './shard-map.ts';
import { insertInto, insertIntoShardsHere, lockTimeout } from './statements.ts';
import { runInTransaction } from './transaction.ts';

/**
 * Stores the plants of one node of a Citus cluster. A batch is a transaction: through the coordinator of one insert for
 * each shard, on the node itself of one insert. As only one node takes part, it has one commit, and no two-phase commit
 * whose outcome another node's crash could leave open.
 *
 * @param map is the current one. If a shard has moved since, a batch concerns two nodes, which Citus then commits in two
 * phases.
 * @param assertDurable throws while what the node commits would not be durable.
 */
export function nodeEngine(
  db: NodeDatabase,
  node: string,
  map: () => ShardMap,
  assertDurable: () => void = () => {},
): StorageEngine {
  async function run(statements: readonly Statement[]): Promise<readonly Row[]> {
    assertDurable();
    return db.connections.run((client) => runInTransaction(client, statements));
  }

  /** By shard, and in the order of ids: two writers may wait for one another, but never deadlock. */
  function byShard(plants: readonly NewPlant[]): readonly NewPlant[][] {
    const shards = Map.groupBy(plants, ({ id }) => map().shardOf(id));
    return [...shards]
      .toSorted(([a], [b]) => a.min - b.min)
      .map(([, each]) => each.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  }

  function inserts(plants: readonly NewPlant[]): readonly Statement[] {
    const shards = byShard(plants);
    return db.isDirect ? insertIntoShardsHere(shards.flat()) : shards.map(insertInto);
  }

  async function insert(plants: readonly NewPlant[], lockTimeoutMs = LOCK_TIMEOUT_MS): Promise<ReadonlySet<bigint>> {
    const rows = await run([...lockTimeout(lockTimeoutMs), ...inserts(plants)]);
    return new Set(rows.map(idOf));
  }

  /**
   * Each apart from those that are locked or refused, which are found by halving; each part has a commit of its own. What
   * is left when the time is up counts as locked.
   */
  async function insertEach(plants: readonly NewPlant[]): Promise<Inserted> {
    const ids = new Set<bigint>();
    const refused = new Map<bigint, Error>();
    const until = performance.now() + EACH_MS;
    const parts = [plants];
    for (let part = parts.pop(); part && performance.now() <= until; part = parts.pop()) {
      if (part.length === 0) continue;
      try {
        for (const id of await insert(part, 1)) ids.add(id);
      } catch (error) {
        if (!refusesPlant(error) && !isLockTimeout(error)) throw error;
        const half = part.length >> 1;
        if (half > 0) parts.push(part.slice(half), part.slice(0, half));
        else if (refusesPlant(error)) for (const { id } of part) refused.set(id, toStoreUnavailable(error) as Error);
      }
    }
    return { ids, refused };
  }

  async function insertIfAbsent(plants: readonly NewPlant[]): Promise<Inserted> {
    try {
      return { ids: await insert(plants), refused: new Map() };
    } catch (error) {
      // If the server refuses one, group-commit writes them again in parts.
      if (!isLockTimeout(error)) throw error;
      return insertEach(await notStored(db.statements, plants));
    }
  }

  async function lockSkipLocked(plants: readonly NewPlant[]) {
    const locks = byShard(plants).map((each) => ({ text: lockMany, values: [idsOf(each)] }));
    return new Map((await run(locks)).map((row) => [idOf(row), plantIn(row)]));
  }

  /** Touches the node: the coordinator alone says nothing of it. A node that has no shard any more gets no plants. */
  async function probe(): Promise<void> {
    const id = map().idOn(node);
    if (id !== undefined) await run([{ text: lockMany, values: [`{${id}}`] }]).catch(rethrow);
  }

  const rows: Rows = {
    lockSkipLocked,
    notStored: (plants: readonly NewPlant[]) => notStored(db.statements, plants),
    insertEach,
  };
  return {
    async insertBatch(plants) {
      const { ids, refused } = await insertIfAbsent(plants).catch(rethrow);
      return plants.map(({ id }) => (ids.has(id) ? added : refused.get(id)));
    },
    resolveConflicts: (plants, _deadline, settle) => resolveConflicts(rows, plants, settle).catch(rethrow),
    sessionsView: 'citus_stat_activity',
    probe,
    close: () => db.close(),
    isTransient,
  };
}

/** 200 ms: as long as an add may have to wait for others. */
const EACH_MS = 200;

function rethrow(error: unknown): never {
  throw toStoreUnavailable(error);
}
