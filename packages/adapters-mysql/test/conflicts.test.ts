import { plants as table } from '@plant-store/sql-store';
import { expect, test, vi } from 'vitest';
import { statementsOf } from '../src/statements.ts';
import { plantsWith, settle, standInServer } from './stand-in-server.ts';

test('a row that another session is inserting is left, and found once it is stored; what nobody has is absent', async () => {
  const { connections, set } = standInServer({ 1: 'being inserted' });
  const done = vi.fn();
  await settle(connections, plantsWith(1, 2), done);
  expect(done.mock.calls).toEqual([[2n, 'absent']]);
  set(1, 'stored');
  await settle(connections, plantsWith(1), done);
  expect(done.mock.calls.slice(1)).toEqual([[1n, table.exists({ name: 'Moss' })]]);
});

test('what is not found is not made durable', async () => {
  const { connections, statements } = standInServer();
  expect(await statementsOf(table, connections).findUnlocked(plantsWith(1))).toEqual(new Map());
  expect(statements).toEqual([expect.stringMatching(/^select id, .* from plants where id in \(1\)$/)]);
});

test.each([
  ['the plant is', plantsWith(1)],
  ['these plants are', plantsWith(1, 2)],
])('%s larger than a statement may be: none is sent', async (what, plants) => {
  const { connections, statements } = standInServer();
  await statementsOf(table, connections).insert(plants, true);
  const size = Buffer.byteLength(statements[0] ?? '');
  const fits = standInServer({}, { maxAllowedPacket: size + 1 });
  expect(await statementsOf(table, fits.connections).insert(plants, true)).toBe('all');
  const small = standInServer({}, { maxAllowedPacket: size });
  await expect(statementsOf(table, small.connections).insert(plants, true)).rejects.toMatchObject({
    message: `${what} larger than a statement may be, ${size} bytes: raise max_allowed_packet on the server`,
    errno: 1153,
    sqlState: '08S01',
  });
  expect(small.statements).toEqual([]);
});
