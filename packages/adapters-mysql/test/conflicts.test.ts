import type { AddResult } from '@plant-store/domain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { resolveConflicts } from '../src/conflicts.ts';
import { findPlants, insert } from '../src/statements.ts';
import { plantsWith, standInServer } from './stand-in-server.ts';

const moss = { outcome: 'exists', plant: { name: 'Moss' } };
const later = () => performance.now() + 10_000;
const settling = () => vi.fn<(id: bigint, result: AddResult | Error) => void>();

test('a row that another session is inserting is left, and found once it is stored', async () => {
  const { connections, tried, set } = standInServer({ 1: 'being inserted' });
  const settle = settling();
  const resolve = (...ids: number[]) => resolveConflicts(connections, plantsWith(...ids), later(), settle);
  await resolve(1, 2);
  expect(settle.mock.calls).toEqual([[2n, { outcome: 'added' }]]);
  set(1, 'stored');
  await resolve(1);
  expect(settle.mock.calls.slice(1)).toEqual([[1n, moss]]);
  expect(tried).toEqual(['2']);
});

test('a lost connection is thrown, and settles nothing', async () => {
  const { connections } = standInServer({ 1: 'lost' });
  const settle = settling();
  await expect(resolveConflicts(connections, plantsWith(1), later(), settle)).rejects.toThrow('lost');
  expect(settle).not.toHaveBeenCalled();
});

test('after the deadline nothing is inserted; before it, what is locked is tried, and left', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(100);
  onTestFinished(() => clock.mockRestore());
  const free = standInServer();
  await resolveConflicts(free.connections, plantsWith(1), 99, settling());
  expect(free.tried).toEqual([]);
  const settle = settling();
  const locked = standInServer({ 1: 'being deleted' });
  await resolveConflicts(locked.connections, plantsWith(1), 100, settle);
  expect(locked.tried).toEqual(['1']);
  expect(settle).not.toHaveBeenCalled();
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
