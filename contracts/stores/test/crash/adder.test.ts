import { join } from 'node:path';
import type { NewPlant } from '@plant-store/domain';
import { expect, test } from 'vitest';
import { startAdder } from '../../src/crash/index.ts';

const programs = join(import.meta.dirname, 'programs');

test('the process is killed after two hundred plants, and the acknowledged ones are returned', async () => {
  const plants = plantsUpTo(10_000);
  await using adder = startAdder(join(programs, 'to-map'), { options: {}, plants });
  const acknowledged = await adder.acknowledgedBeforeKill;
  expect(acknowledged.length).toBeGreaterThanOrEqual(200);
  expect(acknowledged).toEqual(plants.slice(0, acknowledged.length));
});

test('the process is killed after a hundred when a second caller, some milliseconds later, is told of a plant too early', async () => {
  await using adder = startAdder(join(programs, 'to-early-map'), { options: {}, plants: plantsUpTo(10_000) });
  const acknowledged = await adder.acknowledgedBeforeKill;
  expect(acknowledged.length).toBeGreaterThanOrEqual(100);
  expect(acknowledged.length).toBeLessThan(200);
});

test('a process that ends before it is killed is an error', async () => {
  await using adder = startAdder(join(programs, 'to-map'), { options: {}, plants: plantsUpTo(3) });
  await expect(adder.acknowledgedBeforeKill).rejects.toThrow('ended after 3 plants, before it was killed (0)');
});

test('a process that cannot open a store quotes the error, and had the options', async () => {
  const order = { options: { place: 'nowhere' }, plants: plantsUpTo(3) };
  await using adder = startAdder(join(programs, 'to-no-store'), order);
  await expect(adder.acknowledgedBeforeKill).rejects.toThrow(/after 0 plants, .*: .*there is no store at nowhere/s);
});

test('disposing of it ends the process', async () => {
  const adder = startAdder(join(programs, 'to-map'), { options: {}, plants: [] });
  await adder[Symbol.asyncDispose]();
  await expect(adder.acknowledgedBeforeKill).resolves.toEqual([]);
});

function plantsUpTo(count: number): readonly NewPlant[] {
  return Array.from({ length: count }, (_, index) => ({ id: BigInt(index), name: 'Fern' }));
}
