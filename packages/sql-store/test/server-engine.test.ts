import { plants, type ServerStatements, serverEngine } from '@plant-store/sql-store';
import { expect, test, vi } from 'vitest';

const plantsWith = (...ids: bigint[]) => ids.map((id) => ({ id, name: 'Moss' }));
type Statements = ServerStatements<ReturnType<typeof plantsWith>[0], bigint, never>;

function engineOf(statements: object) {
  const translateError = (error: unknown, table: string) => new Error(`${table}: ${error}`);
  return serverEngine(plants, statements as Statements as never, { translateError, close: async () => {} });
}

test('conflicts: what is found is not asked for again', async () => {
  const notStored = vi.fn(async () => [2n]);
  const { settle } = engineOf({ findUnlocked: async () => new Map([[1n, plants.added]]), notStored });
  const done = vi.fn();
  await settle?.(plantsWith(1n), 0, done);
  expect(notStored).not.toHaveBeenCalled();
  await settle?.(plantsWith(1n, 2n), 0, done);
  expect(notStored).toHaveBeenCalledExactlyOnceWith([2n]);
  expect(done.mock.calls).toEqual([
    [1n, plants.added],
    [1n, plants.added],
    [2n, 'absent'],
  ]);
});

test('what fails throws what the adapter makes of it', async () => {
  const fails = () => Promise.reject('it');
  const { write, settle, probe } = engineOf({ insertBatch: fails, findUnlocked: fails, checkCanAdd: fails });
  const failing = [write([], 0, true), settle?.([], 0, () => {}), probe()];
  for (const call of failing) await expect(call).rejects.toThrow('plants: it');
});
