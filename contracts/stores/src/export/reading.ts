import { resolved } from '@plant-store/contracts-kit';
import type { NewPlant, PlantExport } from '@plant-store/domain';

/** An export that is being read, plant by plant. */
export type Reading = AsyncIterator<NewPlant>;

export function startReading(exported: PlantExport): Reading {
  return exported.readAll()[Symbol.asyncIterator]();
}

export async function next(reading: Reading, action: string): Promise<NewPlant | undefined> {
  const { done, value } = await resolved(action, () => reading.next(), 'a plant is read');
  return done ? undefined : value;
}

export async function rest(reading: Reading, action: string): Promise<readonly NewPlant[]> {
  const plants: NewPlant[] = [];
  for (let plant = await next(reading, action); plant; plant = await next(reading, action)) plants.push(plant);
  return plants;
}

export function readAll(exported: PlantExport, action: string): Promise<readonly NewPlant[]> {
  return rest(startReading(exported), action);
}

/** The rest, too, but every error is thrown as it is. */
export async function readToTheEnd(reading: Reading): Promise<readonly NewPlant[]> {
  const plants: NewPlant[] = [];
  for await (const plant of { [Symbol.asyncIterator]: () => reading }) plants.push(plant);
  return plants;
}
