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

/**
 * Makes distinct plants with ids that no other run uses: with a tag, with an empty one, and without. Every tenth is a rival: it
 * has the id of an earlier plant, the last one or one half as old as all of them, and another name.
 */
export function newPlants(nameLength = 40): () => SentPlant {
  // Safe integers: the contract checks larger ids.
  const before = randomInt(2 ** 40) * 4_096;
  let made = 0;
  let last = 0;
  return () => {
    made += 1;
    const isRival = made % 10 === 0;
    if (!isRival) last += 1;
    const id = before + (isRival && made % 20 === 0 ? Math.ceil(last / 2) : last);
    const name = `Färn 🌿 ${id}${isRival ? ` rival ${made}` : ''} `.padEnd(nameLength, 'x');
    return [
      { id, name, tag: `tag of ${id}` },
      { id, name, tag: '' },
      { id, name },
    ][made % 3] as SentPlant;
  };
}
