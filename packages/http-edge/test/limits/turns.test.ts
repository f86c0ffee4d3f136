import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { spreadOverTurns } from '../../src/limits/turns.ts';

test('large pieces of work have a turn each, in their order; small ones are done at once', async () => {
  const inTurn = spreadOverTurns();
  const turns: string[][] = [[]];
  const work = (bytes: number, name: string) => inTurn(bytes, () => turns.at(-1)?.push(name));
  for (const name of ['a', 'b', 'c']) work(100, name);
  for (const name of ['D', 'E']) work(1_000_000, name);
  for (const name of ['f', 'g']) work(100, name);
  expect(turns).toEqual([['a', 'b', 'c']]);
  for (let turn = 0; turn < 20; turn += 1) {
    turns.push([]);
    await setImmediate();
  }
  expect(turns.filter((turn) => turn.length > 0)).toEqual([['a', 'b', 'c'], ['D'], ['E'], ['f', 'g']]);
  work(100, 'h');
  expect(turns.at(-1)?.at(-1)).toBe('h');
});
