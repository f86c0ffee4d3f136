import { setTimeout as sleep } from 'node:timers/promises';
import { type NewPlant, StoreUnavailable } from '@plant-store/domain';
import { completeServerOptions, type PlantRow, rowOf, StoreUnsafe, storeErrors } from '@plant-store/store-kit';
import { DriverSession, type SqlStatements, sessionPool, sqlEngine } from '@plant-store/store-kit/sql';
import { expect, onTestFinished, test, vi } from 'vitest';

const [refused, locked, ambiguous] = [new Error('refused'), new Error('locked'), new Error('ambiguous')];
const errors = storeErrors('Server', (error) => [
  error === refused ? 'refused' : error === ambiguous ? 'refused?' : 'unavailable',
]);

class FakeSession extends DriverSession {
  readonly statements: string[] = [];
  command = async (sql: string) => void this.statements.push(sql);
  release(): void {}
  destroy(): void {}
}

/** An engine on a table with some stored ids. An insert fails if a name is `refused` or `locked`. */
function setUp(storedIds: readonly bigint[], given: Partial<SqlStatements<FakeSession>> = {}) {
  const session = new FakeSession();
  const { statements } = session;
  const sessions = sessionPool<FakeSession>(
    {
      connect: async () => session,
      prepare: async () => {},
      idleCount: () => 0,
      isTooManyConnections: () => false,
      end: async () => {},
      errors,
    },
    completeServerOptions({ connectionString: '' }),
  );
  const rows = new Set(storedIds);
  async function insert(_: FakeSession, batch: readonly PlantRow[]): Promise<ReadonlySet<bigint>> {
    statements.push(`insert ${batch.map(({ id }) => id)}`);
    for (const { name } of batch)
      if (name !== 'Fern' && name !== 'ignored') throw name === 'refused' ? refused : locked;
    const added = batch.filter(({ id, name }) => !rows.has(id) && name !== 'ignored').map(({ id }) => id);
    for (const id of added) rows.add(id);
    return new Set(added);
  }
  const engine = sqlEngine(
    sessions,
    {
      insert,
      begin: () => ['begin'],
      insertPart: insert,
      findUnlocked: async (_, ids) => ids.filter((id) => rows.has(id)).map((id) => rowOf({ id, name: 'Fern' })),
      stored: async (_, ids) => new Set(ids.filter((id) => rows.has(id))),
      probe: async () => {},
      checkTable: async () => 'first table',
      firstAndLast: async () => [...rows],
      isConflict: (error) => error === locked,
      errors,
      ...given,
    },
    { timeoutMs: 2_000 },
  );
  return { engine, statements, rows };
}

type InsertIndividually = NonNullable<SqlStatements<FakeSession>['insertIndividually']>;
type CheckTable = SqlStatements<FakeSession>['checkTable'];
const soon = () => performance.now() + 2_000;

const plants = (...names: readonly string[]): readonly NewPlant[] =>
  names.map((name, at) => ({ id: BigInt(at), name }));
const added = { done: { outcome: 'added' } };
const refusal = { refused: errors.translate(refused) };

test('a batch is one insert, sorted by id, and taken ids conflict', async () => {
  const { engine, statements } = setUp([1n]);
  expect(await engine.write(plants('Fern', 'Fern', 'Fern').toReversed(), soon())).toEqual([added, 'conflict', added]);
  expect(statements).toEqual(['insert 0,1,2']);
});

test('refused and locked plants are found between savepoints, with one commit', async () => {
  const { engine, statements } = setUp([]);
  expect(await engine.write(plants('Fern', 'refused', 'locked', 'Fern', 'ignored'), soon())).toEqual([
    added,
    refusal,
    'conflict',
    added,
    'conflict',
  ]);
  const inserts = statements.filter((each) => each.startsWith('insert'));
  expect(inserts).toEqual(['0,1,2,3,4', '0,1', '0', '1', '2,3', '2', '3', '4'].map((ids) => `insert ${ids}`));
  expect(statements.filter((each) => each.startsWith('rollback'))).toHaveLength(4);
  expect(statements.filter((each) => each === 'commit')).toHaveLength(1);
});

test('once the deadline has passed, nothing is inserted, and the inserted part is rolled back', async () => {
  const { engine, statements } = setUp([]);
  await expect(engine.write(plants('Fern'), performance.now() - 1)).rejects.toThrow(StoreUnavailable);
  expect(statements).toEqual([]);
  const deadline = performance.now() + 200;
  const insertPart = async () => {
    await sleep(120);
    throw refused;
  };
  const { engine: slow, statements: slowStatements } = setUp([], { insertPart });
  await expect(slow.write(plants('Fern', 'refused', 'Fern'), deadline)).rejects.toThrow(StoreUnavailable);
  expect(slowStatements.at(-1)).toBe('rollback');
});

test('plants that have not failed together are inserted together first', async () => {
  const { engine, statements } = setUp([0n], { insert: () => Promise.reject(locked) });
  expect(await engine.write(plants('Fern', 'Fern', 'Fern'), soon())).toEqual(['conflict', added, added]);
  expect(await engine.settle?.(plants('Fern', 'Fern', 'Fern', 'Fern', 'Fern'), soon())).toContainEqual(added);
  expect(statements.filter((each) => each.startsWith('insert'))).toEqual(['insert 1,2', 'insert 3,4']);
});

test('where the server can insert plants individually, a rejected batch needs no savepoints', async () => {
  const insertIndividually = vi.fn<InsertIndividually>(async () => new Map([[1n, refused]]));
  const { engine, statements } = setUp([], { insertIndividually });
  const deadline = soon();
  expect(await engine.write(plants('Fern', 'refused'), deadline)).toEqual([added, refusal]);
  expect(insertIndividually.mock.calls).toEqual([[expect.anything(), expect.anything(), deadline]]);
  expect(statements).toEqual(['insert 0,1']);
  insertIndividually.mockResolvedValueOnce(undefined);
  expect(await engine.write(plants('Fern', 'refused'), deadline)).toEqual([added, refusal]);
  expect(statements).toContain('savepoint part');
});

test('a plant that fails individually for another reason fails alone, as an outage', async () => {
  const insertIndividually = async () => new Map([[0n, new Error('the disk is full')]]);
  const { engine } = setUp([], { insertIndividually });
  const outage = { refused: new StoreUnavailable('Server: the disk is full', { cause: expect.any(Error) }) };
  expect(await engine.write(plants('Fern', 'refused'), soon())).toEqual([outage, added]);
});

test('a part that fails for another reason fails its batch, as an outage', async () => {
  const insertPart = () => Promise.reject(new Error('the disk is full'));
  const { engine } = setUp([], { insertPart });
  await expect(engine.write(plants('Fern', 'refused'), soon())).rejects.toThrow('Server: the disk is full');
});

test.each(['insert', 'findUnlocked', 'probe'] as const)(
  'if the table may be the cause of an error of %s, the table is checked first',
  async (statement) => {
    const unfit = new StoreUnsafe('the table is a view');
    const checkTable = vi.fn<CheckTable>().mockRejectedValueOnce(unfit);
    const fail = () => Promise.reject(ambiguous);
    const { engine } = setUp([0n], { checkTable, [statement]: fail });
    const call = { insert: engine.write, findUnlocked: engine.settle, probe: async () => engine.probe() }[statement];
    await expect(call?.(plants('Fern'), soon())).rejects.toBe(unfit);
    const again = call?.(plants('Fern'), soon());
    if (statement === 'insert') expect(await again).toEqual([{ refused: errors.translate(ambiguous) }]);
    else await expect(again).rejects.toEqual(errors.translate(ambiguous));
  },
);

test('while it writes, the table is checked after the first write and then twice a second', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const checkTable = vi.fn<CheckTable>().mockResolvedValue('table');
  const { engine } = setUp([], { checkTable });
  for (let written = 0; written < 30; written += 1) {
    await engine.write(plants('Fern'), soon());
    vi.advanceTimersByTime(50);
  }
  expect(checkTable).toHaveBeenCalledTimes(3);
});

test('a write whose check fails is rejected if plants could be lost, and otherwise acknowledged', async () => {
  const unsafe = new StoreUnsafe('the table is unlogged');
  for (const [failure, expected] of [
    [unsafe, unsafe],
    [new Error('connection lost'), [added]],
  ]) {
    const { engine } = setUp([], { checkTable: () => Promise.reject(failure) });
    expect(await engine.write(plants('Fern'), soon()).catch((error) => error)).toEqual(expected);
  }
});

test('a check that hangs delays one write, fails none, and is not started again meanwhile', async () => {
  const checkTable = vi.fn<CheckTable>(() => new Promise(() => {}));
  const { engine } = setUp([], { checkTable });
  expect(await engine.write(plants('Fern'), soon())).toEqual([added]);
  await sleep(100);
  expect(await engine.write(plants('Fern'), soon())).toEqual(['conflict']);
  expect(checkTable).toHaveBeenCalledTimes(1);
});

/** An engine with a stopped clock, 0.6 s after a write and a check that has passed. */
async function checkedShortlyBefore() {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const unsafe = new StoreUnsafe('the table is unlogged');
  const checkTable = vi.fn<CheckTable>().mockResolvedValueOnce('table');
  const { engine } = setUp([], { checkTable });
  const write = () => engine.write(plants('Fern'), soon());
  await write();
  vi.advanceTimersByTime(600);
  return { unsafe, checkTable, write };
}

test('a write waits for a check only if the latest one is old, and the next write is rejected after one that has failed', async () => {
  const { unsafe, checkTable, write } = await checkedShortlyBefore();
  const beside = Promise.withResolvers<string>();
  checkTable.mockReturnValueOnce(beside.promise).mockRejectedValue(unsafe);
  expect(await Promise.race([write(), sleep(900, 'late')])).toEqual(['conflict']);
  await sleep(0);
  expect(checkTable).toHaveBeenCalledTimes(2);
  beside.reject(unsafe);
  await sleep(0);
  await expect(write()).rejects.toBe(unsafe);
  vi.advanceTimersByTime(600);
  checkTable.mockResolvedValueOnce('table').mockRejectedValueOnce(unsafe);
  await write();
  vi.advanceTimersByTime(900);
  await expect(write()).rejects.toBe(unsafe);
});

test('a check that fails for an outage, or takes long, does not count as one that has passed', async () => {
  const { unsafe, checkTable, write } = await checkedShortlyBefore();
  checkTable.mockRejectedValueOnce(new Error('connection lost')).mockRejectedValue(unsafe);
  await write();
  vi.advanceTimersByTime(600);
  await expect(write()).rejects.toBe(unsafe);
  vi.advanceTimersByTime(600);
  const slow = Promise.withResolvers<string>();
  checkTable.mockResolvedValueOnce('table').mockReturnValueOnce(slow.promise);
  await write();
  vi.advanceTimersByTime(600);
  await write();
  vi.advanceTimersByTime(300);
  const waiting = write();
  expect(await Promise.race([waiting.catch(() => 'rejected'), sleep(100, 'waits')])).toBe('waits');
  slow.reject(unsafe);
  await expect(waiting).rejects.toBe(unsafe);
});

test('another table in place of the former one is used if it has the plants of the last check', async () => {
  let identity = 'first table';
  const { engine, rows } = setUp([], { checkTable: async () => identity });
  await engine.write(plants('Fern', 'Fern'), soon());
  await engine.probe();
  identity = 'complete copy';
  await engine.probe();
  // Deleting plants is not replacing the table.
  rows.clear();
  await engine.probe();
  identity = 'empty table';
  const lacks = 'another table took the place of the table plants, and lacks plant 0: put the former table back';
  await expect(engine.probe()).rejects.toThrow(lacks);
  identity = 'complete copy';
  await engine.probe();
});

test('a table that was replaced before the first write has to have the first and the last plant', async () => {
  let identity = 'first table';
  const { engine, rows } = setUp([3n, 5n], { checkTable: async () => identity });
  await engine.checkTable();
  identity = 'another table';
  rows.delete(5n);
  await expect(engine.checkTable()).rejects.toThrow('lacks plant 5');
});

test('a statement that finds the table locked names the session, also while its query is in flight', async () => {
  const lockHolder = async () => {
    await sleep(20);
    return { session: 'pid 7', role: 'dba' };
  };
  const { engine } = setUp([], { lockHolder, probe: () => Promise.reject(locked) });
  const reason = 'pid 7, role "dba" has locked the table plants, or the whole server: end it';
  const probing = [engine.probe(), engine.probe()];
  for (const each of probing) await expect(each).rejects.toThrow(new StoreUnavailable(reason));
});
