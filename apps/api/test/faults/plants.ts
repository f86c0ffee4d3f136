import { randomInt } from 'node:crypto';
import { type Plant, type PlantRow, plantOf } from '@plant-store/domain';

/** A NewPlant as the load sends it. */
export interface SentPlant extends Plant {
  readonly id: number;
}

/** The plants in rows of the table, by their ids. */
export function plantsInRows(rows: readonly Record<string, unknown>[]): ReadonlyMap<number, SentPlant> {
  return new Map(
    rows.map((row) => [Number(row['id']), { id: Number(row['id']), ...plantOf(row as unknown as PlantRow) }]),
  );
}

/** Makes distinct plants with ids that no other run uses: with a tag, with an empty one, and without. */
export function newPlants(nameLength = 40): () => SentPlant {
  // Safe integers: the contract checks larger ids.
  let id = randomInt(2 ** 40) * 4_096;
  return () => {
    id += 1;
    const name = `Färn 🌿 ${id} `.padEnd(nameLength, 'x');
    return [
      { id, name, tag: `tag of ${id}` },
      { id, name, tag: '' },
      { id, name },
    ][id % 3] as SentPlant;
  };
}
