import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addInKilledProcess } from '../src/crash/add-in-killed-process.ts';

const opener = { module: join(import.meta.dirname, 'programs/open-test-store'), name: 'openTestStore' };
const plants = Array.from({ length: 10_000 }, (_, index) => ({ id: BigInt(index), name: 'Fern' }));

test.each([
  ['two hundred plants', {}, 200],
  ['a hundred, if the store returns `exists` before the plant is durable', { addMs: 10 }, 100],
])('the process is killed after %s, and the acknowledged ones are returned', async (_, options, count) => {
  const acknowledged = await addInKilledProcess(opener, options, plants);
  expect(Math.floor(acknowledged.length / 100) * 100).toBe(count);
  expect(acknowledged).toEqual(plants.slice(0, acknowledged.length));
});

test.each([
  ['before it is killed is an error', {}, 'ended after 3 plants, before it was killed (0)'],
  ['without a store quotes the error', { location: 'nowhere' }, /after 0 plants, .*: .*there is no store at nowhere/s],
])('a process that ends %s', async (_, options, message) => {
  await expect(addInKilledProcess(opener, options, plants.slice(0, 3))).rejects.toThrow(message);
});
