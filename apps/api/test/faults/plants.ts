import { randomInt } from 'node:crypto';

/** A NewPlant as the load sends it. */
export interface SentPlant {
  readonly id: number;
  readonly name: string;
  readonly tag?: string;
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
