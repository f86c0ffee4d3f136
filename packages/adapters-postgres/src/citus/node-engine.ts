import type { NewPlant } from '@plant-store/domain';
import { added, type PlantEngine } from '@plant-store/sql-store';
import { settleConflicts } from '../conflicts.ts';
import type { Row, Statement } from '../driver/submitted.ts';
import { isLockTimeout, isTransient, translateError } from '../errors.ts';
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
): PlantEngine {
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

  /** If the server refuses one, group-commit writes them again in parts. */
  async function insert(plants: readonly NewPlant[], _deadline: number, mayWait: boolean) {
    try {
      const rows = await run([...lockTimeout(mayWait ? LOCK_TIMEOUT_MS : 1), ...inserts(plants)]);
      const ids = new Set(rows.map(idOf));
      return plants.map(({ id }) => (ids.has(id) ? added : 'conflict'));
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      const left = new Set(mayWait ? await notStored(db.statements, plants) : plants);
      return plants.map((plant) => (left.has(plant) ? 'split' : 'conflict'));
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

  const read = { lockSkipLocked, notStored: (plants: readonly NewPlant[]) => notStored(db.statements, plants) };
  return {
    write: (...batch) => insert(...batch).catch(rethrow),
    settle: (plants, _deadline, done) => settleConflicts(read, plants, done).catch(rethrow),
    probe,
    close: () => db.close(),
    isTransient,
  };
}

function rethrow(error: unknown): never {
  throw translateError(error);
}
