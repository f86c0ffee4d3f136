import type { AddResult } from '@plant-store/domain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { resolveConflicts } from '../src/conflicts.ts';
import { findPlants, insert } from '../src/statements.ts';
import { plantsWith, standInServer } from './stand-in-server.ts';

const moss = { outcome: 'exists', plant: { name: 'Moss' } };
const settling = () => vi.fn<(id: bigint, result: AddResult | Error) => void>();

test('a row that another session is inserting is not waited for in the server, and is found once it is stored', async () => {
  const { connections, tried, set } = standInServer({ 1: 'being inserted' });
  const settle = settling();
  const resolved = resolveConflicts(connections, plantsWith(1, 2), performance.now() + 10_000, settle);
  await vi.waitFor(() => expect(settle.mock.calls).toEqual([[2n, { outcome: 'added' }]]));
  set(1, 'stored');
  await resolved;
  expect(settle.mock.calls.slice(1)).toEqual([[1n, moss]]);
  expect(tried).toEqual(['2']);
});

test('a lost connection is thrown, and settles nothing', async () => {
  const { connections } = standInServer({ 1: 'lost' });
  const settle = settling();
  await expect(resolveConflicts(connections, plantsWith(1), performance.now() + 1_000, settle)).rejects.toThrow('lost');
  expect(settle).not.toHaveBeenCalled();
});

test('after the deadline nothing is inserted; before it, what locks is tried, and no pause is begun that ends after it', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(100);
  onTestFinished(() => clock.mockRestore());
  const free = standInServer();
  await expect(resolveConflicts(free.connections, plantsWith(1), 99, () => {})).rejects.toThrow('locked');
  expect(free.tried).toEqual([]);
  // The first pause takes 5 ms at least.
  const settle = settling();
  const locked = standInServer({ 1: 'being deleted' });
  await expect(resolveConflicts(locked.connections, plantsWith(1), 104, settle)).rejects.toThrow('locked');
  expect(locked.tried).toEqual(['1']);
  expect(settle).not.toHaveBeenCalled();
});

test('pauses grow while a row is locked', async () => {
  const { connections, tried } = standInServer({ 1: 'being deleted' });
  const resolving = resolveConflicts(connections, plantsWith(1), performance.now() + 300, () => {});
  await expect(resolving).rejects.toThrow('locked');
  // 10 ms, and twice as long each time, less up to a half.
  expect(tried.length).toBeLessThan(10);
});

test('what is not found is not made durable', async () => {
  const { connections, statements } = standInServer();
  expect(await findPlants(connections, plantsWith(1))).toEqual(new Map());
  expect(statements).toEqual([expect.stringMatching(/^select id, .* from plants where id in \(1\)$/)]);
});

test.each([
  ['the plant is', plantsWith(1)],
  ['these plants are', plantsWith(1, 2)],
])('%s larger than a statement may be: none is sent', async (what, plants) => {
  const { connections, statements } = standInServer();
  await insert(connections, plants);
  const size = Buffer.byteLength(statements[0] ?? '');
  const fits = standInServer({}, { maxAllowedPacket: size + 1 });
  expect(await insert(fits.connections, plants)).toBe('all');
  const small = standInServer({}, { maxAllowedPacket: size });
  await expect(insert(small.connections, plants)).rejects.toMatchObject({
    message: `${what} larger than a statement may be, ${size} bytes: raise max_allowed_packet on the server`,
    errno: 1153,
    sqlState: '08S01',
  });
  expect(small.statements).toEqual([]);
});
