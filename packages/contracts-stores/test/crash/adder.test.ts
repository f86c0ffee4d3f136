import { join } from 'node:path';
import type { NewPlant } from '@plant-store/domain';
import { expect, test } from 'vitest';
import { startAdder } from '../../src/crash/index.ts';

const programs = join(import.meta.dirname, 'programs');

test('the process is killed after a hundred plants, and those that were answered are told', async () => {
  const plants = plantsUpTo(10_000);
  await using adder = startAdder(join(programs, 'to-map'), { options: {}, plants });
  const answered = await adder.answeredUntilKilled;
  expect(answered.length).toBeGreaterThanOrEqual(100);
  expect(answered).toEqual(plants.slice(0, answered.length));
});

test('a process that adds too few plants to be killed is an error', async () => {
  await using adder = startAdder(join(programs, 'to-map'), { options: {}, plants: plantsUpTo(3) });
  await expect(adder.answeredUntilKilled).rejects.toThrow('ended after 3 plants, before it was killed (0)');
});

test('a process that gets no store says why, and was told where to look', async () => {
  const order = { options: { place: 'nowhere' }, plants: plantsUpTo(3) };
  await using adder = startAdder(join(programs, 'to-no-store'), order);
  await expect(adder.answeredUntilKilled).rejects.toThrow(/after 0 plants, .*: .*there is no store at nowhere/s);
});

test('disposing of it ends the process', async () => {
  const adder = startAdder(join(programs, 'to-map'), { options: {}, plants: [] });
  await adder[Symbol.asyncDispose]();
  await expect(adder.answeredUntilKilled).resolves.toEqual([]);
});

function plantsUpTo(count: number): readonly NewPlant[] {
  return Array.from({ length: count }, (_, index) => ({ id: BigInt(index), name: 'Fern' }));
}
