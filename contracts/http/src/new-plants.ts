import { type NewPlant, type Plant, plantOf, textFields } from '@plant-store/domain';

/** A random int64, which no plant has as its id. */
export function anyId(): bigint {
  return BigInt.asIntN(64, crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n);
}

/** An id that no IEEE 754 double can represent, so that rounding anywhere shows: odd, and beyond 2^53. */
export function anyUnroundableId(): bigint {
  const magnitude = 2n ** 53n + 1n + 2n * (BigInt.asUintN(64, anyId()) % 2n ** 61n);
  return anyId() < 0n ? -magnitude : magnitude;
}

/** A random id of the next 2^48 after a given one, where doubles get coarser or a sign changes. */
export function anyIdNear(id: bigint): bigint {
  return BigInt.asIntN(64, id + 2n + BigInt.asUintN(48, anyId()));
}

/** A new plant: the interesting fields are given, the others made up. */
export function aPlant(fields: Partial<NewPlant> = {}): NewPlant {
  return { id: anyId(), name: `contract plant ${crypto.randomUUID()}`, ...fields };
}

/** One with a text in every field; without an id, it gets a new one. */
export function aFullPlant(id: bigint = anyId(), textOf = (field: keyof Plant): string => `some ${field}`): NewPlant {
  return aPlant({ id, ...Object.fromEntries(textFields.map((field) => [field, textOf(field)])) });
}

/** The plant without one of its optional texts. */
export function plantWithout(field: keyof Plant, plant: NewPlant): NewPlant {
  const { [field]: _, ...others } = plant;
  return others as NewPlant;
}

/**
 * The plant as a JSON text, its members in the order of the description: other orders are for HC-3. JSON.stringify does
 * not support bigint.
 */
export function jsonOf(plant: NewPlant): string {
  return `{"id":${plant.id},${JSON.stringify(plantOf(plant)).slice(1)}`;
}
