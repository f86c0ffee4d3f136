import type { NewPlant } from '@plant-store/domain';

/** Plants as lines of JSON, each id as a string: JSON has no int64. */
export function formatPlants(plants: readonly NewPlant[]): string {
  return plants.map((plant) => JSON.stringify({ ...plant, id: String(plant.id) })).join('\n');
}

/** What {@link formatPlants} was given. */
export function parsePlants(lines: string): readonly NewPlant[] {
  return lines.split('\n').map((line) => {
    const plant = JSON.parse(line);
    return { ...plant, id: BigInt(plant.id) };
  });
}
