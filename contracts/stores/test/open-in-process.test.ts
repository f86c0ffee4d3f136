import { join } from 'node:path';
import { StoreUnavailable } from '@plant-store/domain';
import { expect, test } from 'vitest';
import { openInProcess } from '../src/crash/open-in-process.ts';

const opener = { module: join(import.meta.dirname, 'programs/open-test-store'), name: 'openTestStore' };
const plant = (id: bigint) => ({ id, name: 'Fern' });

test('a store in a process returns results, throws errors, and throws StoreUnavailable once it is killed', async () => {
  const { plants, check, close, kill } = await openInProcess(opener, {});
  const result = { outcome: 'exists', plant: { name: expect.stringMatching(/^\d+$/) } };
  await expect(plants.add(plant(1n))).resolves.toEqual(result);
  await expect(plants.add(plant(1n))).resolves.not.toHaveProperty('plant.name', `${process.pid}`);
  await expect(plants.add(plant(3n))).rejects.toThrow('RangeError: no plant 3');
  await check();
  await close();
  const pending = expect(plants.add(plant(2n))).rejects.toThrow(StoreUnavailable);
  await kill();
  await pending;
  await expect(plants.add(plant(1n))).rejects.toThrow(StoreUnavailable);
});

test('a store that cannot be opened in a process quotes the error', async () => {
  await expect(openInProcess(opener, { location: 'nowhere' })).rejects.toThrow('Error: there is no store at nowhere');
});
