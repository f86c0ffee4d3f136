import {
  type Database,
  insertBatchBy,
  type Row,
  type Statement,
  statementsOf,
  translateError,
} from '@plant-store/adapters-postgres/driver';
import type { NewPlant } from '@plant-store/domain';
import { type PlantEngine, serverEngine, plants as table } from '@plant-store/sql-store';
import { isTransient } from './cluster/remote-error.ts';
import type { ShardMap } from './cluster/shard-map.ts';
import { insertInto, lockTimeout } from './statements.ts';
import { runInTransaction } from './transaction.ts';

/**
 * Stores the plants of one node of a Citus cluster. A batch is a transaction of one insert for each shard. As
 * only one node takes part, it has one commit, and no two-phase commit whose outcome another node's crash could leave open.
 *
 * @param map is the current one. If a shard has moved since, a batch concerns two nodes, which Citus then commits in two
 * phases.
 * @param assertDurable throws while what the node commits would not be durable.
 */
export function nodeEngine(
  db: Database,
  node: string,
  map: () => ShardMap,
  assertDurable: () => void = () => {},
): PlantEngine {
  const { lock, found, arrayOfKeys, keyIn, notStored } = statementsOf(table, db.statements);

  async function run(statements: readonly Statement[]): Promise<readonly Row[]> {
    assertDurable();
    return db.connections.run((client) => runInTransaction(client, statements));
  }

  /** By shard, in one order: two writers may wait for one another, but never deadlock. */
  function byShard<Each>(those: readonly Each[], idOf: (each: Each) => bigint): readonly (readonly Each[])[] {
    const shards = Map.groupBy(those, (each) => map().shardOf(idOf(each)));
    return [...shards].toSorted(([a], [b]) => a.min - b.min).map(([, each]) => each);
  }

  async function insert(plants: readonly NewPlant[], mayWait: boolean): Promise<readonly bigint[]> {
    return (await run([...lockTimeout(mayWait), ...byShard(table.sorted(plants), table.keyOf).map(insertInto)])).map(
      keyIn,
    );
  }

  async function findUnlocked(ids: readonly bigint[]) {
    const locks = byShard(ids, (id) => id).map((each) => ({ text: lock, values: [arrayOfKeys(each)] }));
    return found(await run(locks));
  }

  /**
   * Touches the node: the coordinator alone says nothing of it. A node that has no shard any more gets no plants. A plain
   * read would succeed on one that has become read-only.
   */
  async function checkCanAdd(): Promise<void> {
    const id = map().idOn(node);
    if (id !== undefined) await run([{ text: lock, values: [`{${id}}`] }]);
  }

  const brought = { insertBatch: insertBatchBy(table, insert, notStored), findUnlocked, notStored, checkCanAdd };
  return serverEngine(table, brought, { translateError, isTransient, close: () => db.close() });
}
