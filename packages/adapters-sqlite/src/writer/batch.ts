import { type AddResult, type NewPlant, type Plant, textFields } from '@plant-store/domain';
import type { Outcome } from '@plant-store/group-commit';
import { added, exists } from '@plant-store/sql-store';

/** Plants by column: passing an object for each to another process costs more. Their ids all differ. */
export interface PlantColumns {
  readonly ids: BigInt64Array;
  /** A column for each text field, in the order of the fields; null where the text is absent. */
  readonly texts: readonly (readonly (string | null)[])[];
}

/** A plant of a batch whose id was taken. */
export interface TakenId {
  /** Its place in the batch. */
  readonly at: number;
  /** What has the id. */
  readonly plant: Plant;
}

export function columnsOf(plants: readonly NewPlant[]): PlantColumns {
  return {
    ids: BigInt64Array.from(plants, ({ id }) => id),
    texts: textFields.map((field) => plants.map((plant) => plant[field] ?? null)),
  };
}

/** The outcome of each of `count` plants, in their order. */
export function outcomesOf(count: number, taken: readonly TakenId[]): readonly Outcome<AddResult>[] {
  const outcomes: Outcome<AddResult>[] = Array(count).fill(added);
  for (const { at, plant } of taken) outcomes[at] = exists(plant);
  return outcomes;
}
