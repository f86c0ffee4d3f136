import { EventEmitter } from 'node:events';
import type { Database, ProtocolConnection, Row, Submitted } from '@plant-store/adapters-postgres/driver';
import { StoreUnavailable } from '@plant-store/domain';
import { plants as table } from '@plant-store/sql-store';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import type { ShardMap } from '../src/cluster/shard-map.ts';
import { nodeEngine } from '../src/node-engine.ts';

const { added } = table;
const plants = (...ids: bigint[]) => ids.map((id) => ({ id, name: 'Moss' }));
const failure = (code: string) => Object.assign(new pg.DatabaseError('of a test', 9, 'error'), { code });
const [locked, refused, outage] = [failure('55P03'), failure('23514'), failure('53100')];

test('a batch has an insert for each shard, in the order of shards, and of ids within them', async () => {
  const { engine, transactions } = standIn([[5, 2]]);
  // Ids from 4 upwards are in the shard that comes first.
  const outcomes = await engine.write(plants(3n, 1n, 2n, 5n, 4n), 0, true);
  expect(outcomes).toEqual(['conflict', 'conflict', added, added, 'conflict']);
  expect(transactions).toEqual([
    [
      ['4', '5'],
      ['1', '2', '3'],
    ],
  ]);
});

test.each([
  ['a refusal', refused],
  ['an outage', outage],
  ['a lost connection', new StoreUnavailable('lost')],
])('%s is thrown at once, without another attempt', async (_, error) => {
  const { engine, transactions } = standIn([error]);
  await expect(engine.write(plants(1n, 2n), 0, true)).rejects.toThrow(error.message);
  expect(transactions).toHaveLength(1);
});

test('what PostgreSQL reports is rolled back; a connection that is lost or hangs is not asked for that', async () => {
  const { engine, rollback } = standIn([outage, new Error('late')]);
  await expect(engine.write(plants(1n), 0, true)).rejects.toThrow(StoreUnavailable);
  expect(rollback).toHaveBeenCalledTimes(1);
  await expect(engine.write(plants(1n), 0, true)).rejects.toThrow('late');
  expect(rollback).toHaveBeenCalledTimes(1);
});

test('after a lock what is stored conflicts, and the rest is split; a part does not look, and hardly waits', async () => {
  const { engine, transactions } = standIn([locked, locked, [2]], [4]);
  expect(await engine.write(plants(1n, 2n, 4n), 0, true)).toEqual(['split', 'split', 'conflict']);
  expect(await engine.write(plants(1n, 2n), 0, false)).toEqual(['split', 'split']);
  expect(await engine.write(plants(2n), 0, false)).toEqual([added]);
  expect(transactions.map((inserts) => inserts.flat().join())).toEqual(['4,1,2', '1,2', '2']);
});

test('a node is probed with an id of its own, and not at all once it has no shards', async () => {
  const { engine, transactions, idOn } = standIn([]);
  await engine.probe();
  idOn.mockReturnValue(undefined);
  await engine.probe();
  expect(transactions).toEqual([[['{7}']]]);
});

type Response = readonly number[] | Error | (() => Promise<readonly number[]>);

/**
 * An engine on a coordinator that responds to transactions with these, in turn: rows of ids, or a failure.
 *
 * @param stored are the ids that a read finds.
 */
function standIn(responses: readonly Response[], stored: readonly number[] = []) {
  const left = [...responses];
  const transactions: (readonly string[])[][] = [];
  const rollback = vi.fn<() => void>();
  const idOn = vi.fn<ShardMap['idOn']>().mockReturnValue(7n);
  const shards = [20, 10].map((min) => ({ min, node: 'node' }));
  const rowsOf = (ids: readonly number[]): Row[] => ids.map((id) => [`${id}`, 'Moss', null]);

  async function respond(sent: Submitted): Promise<void> {
    transactions.push(idsIn(sent));
    const response = left.shift() ?? [];
    try {
      if (response instanceof Error) throw response;
      for (const fields of rowsOf(typeof response === 'function' ? await response() : response))
        sent.handleDataRow({ fields });
      sent.handleReadyForQuery();
    } catch (error) {
      const connection = new EventEmitter() as pg.Connection;
      sent.handleError(error as Error, connection);
      connection.emit('readyForQuery');
    }
  }
  const query = (sent: Submitted | string) => (typeof sent === 'string' ? rollback() : void respond(sent));
  const run = vi.fn((statement: (client: unknown) => unknown) => statement({ query }));
  const db = { connections: { run }, statements: { run: async () => rowsOf(stored) } } as unknown as Database;
  const map = { nodes: new Set(['node']), shardOf: (id: bigint) => shards[id < 4n ? 0 : 1], idOn } as ShardMap;
  return { engine: nodeEngine(db, 'node', () => map), transactions, rollback, run, idOn };
}

/** Those of each statement that has any. */
function idsIn(sent: Submitted): (readonly string[])[] {
  const all: (readonly string[])[] = [];
  const connection: ProtocolConnection = {
    stream: { cork() {}, uncork() {} },
    parsedStatements: {},
    parse() {},
    bind: ({ values }) => void all.push(values.filter((value) => value !== null && /\d/.test(value)) as string[]),
    execute() {},
    sync() {},
  };
  sent.submit(connection as unknown as pg.Connection);
  return all.filter((ids) => ids.length > 0);
}
