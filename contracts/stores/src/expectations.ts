import {
  ContractViolation,
  resolved,
  type Sentence,
  show,
  textOf,
  unlessUnavailable,
} from '@plant-store/contracts-kit';
import {
  type AddResult,
  isSamePlant,
  type NewPlant,
  type Plant,
  type PlantStore,
  StoreUnavailable,
} from '@plant-store/domain';

/**
 * Adds a plant. Any result of the port is right, an error is not.
 * @param action what was done, for the message; by default, that the plant was added.
 * @throws {ContractViolation} if the store throws, or resolves with something else.
 */
export async function addPlant(
  store: PlantStore,
  plant: NewPlant,
  action: Sentence = () => `added ${show(plant)}`,
): Promise<AddResult> {
  const result = await resolved(action, () => store.plants.add(plant), 'it resolves');
  const { outcome, plant: existing }: { outcome?: unknown; plant?: unknown } = Object(result);
  if (outcome === 'added' || (outcome === 'exists' && Object(existing) === existing)) return result;
  const expected = '{outcome: "added"} or {outcome: "exists", plant}';
  throw new ContractViolation(action, `resolved with ${show(result)}`, expected);
}

/**
 * Adds a plant whose id is free. Whether the result is `added`, or `exists` with this plant, is for PR-4 to check.
 * @throws {ContractViolation} if the result is another plant.
 */
export async function addNew(
  store: PlantStore,
  plant: NewPlant,
  action: Sentence = () => `added ${show(plant)}, whose id is free`,
): Promise<void> {
  const result = await addPlant(store, plant, action);
  if (result.outcome === 'exists' && result.plant.name !== plant.name)
    throw new ContractViolation(action, show(result), '{outcome: "added"}');
}

/** Returns a plant with the same id and another name. Adding it to a store shows the stored plant, and changes nothing. */
export function probeFor(plant: NewPlant): NewPlant {
  return { ...plant, name: `another plant under ${plant.id}` };
}

/** Looks up a plant that must be stored, by adding another one under its id, and compares it. */
export async function expectStored(store: PlantStore, plant: NewPlant, action: Sentence): Promise<Plant> {
  const probe = probeFor(plant);
  const adding = () => `${textOf(action)}, then added ${show(probe)}`;
  return expectExists(await addPlant(store, probe, adding), plant, adding);
}

/** Expects that a result is `exists` with this plant, to the last code unit. */
export function expectExists(result: AddResult, plant: Plant, action: Sentence): Plant {
  if (result.outcome === 'exists' && isSamePlant(result.plant, plant)) return result.plant;
  const { id: _, ...texts } = plant as Partial<NewPlant>;
  const expected = `{outcome: "exists", plant: ${show(texts)}}`;
  const actual: Readonly<Record<string, unknown>> = result.outcome === 'exists' ? { ...result.plant } : {};
  const differences = Object.entries(texts).map(([field, text]) => difference(field, actual[field], text));
  throw new ContractViolation(action, show(result) + differences.join(''), expected);
}

/** Expects that a call throws an error of this class. */
export async function expectThrows(
  action: Sentence,
  call: () => Promise<unknown>,
  Expected: new (message: string) => Error = StoreUnavailable,
): Promise<void> {
  const result = await unlessUnavailable(action, call, Expected);
  if (result) throw new ContractViolation(action, `resolved with ${show(result.value)}`, `it throws ${Expected.name}`);
}

/** Expects that two values have the same text in a message. */
export function expectSame(action: string, expected: unknown, actual: unknown): void {
  if (show(actual) !== show(expected)) throw new ContractViolation(action, show(actual), show(expected));
}

/** Does something with each item, a hundred at a time, because a store may reject too many concurrent calls. */
export async function inChunks<T>(all: readonly T[], use: (one: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < all.length; at += 100) await Promise.all(all.slice(at, at + 100).map(use));
}

/** Says where two texts begin to differ, because they may look the same, or be too long for the message. */
function difference(field: string, actual: unknown, expected: unknown): string {
  if (typeof actual !== 'string' || typeof expected !== 'string' || actual === expected) return '';
  let at = 0;
  while (at < actual.length && actual[at] === expected[at]) at += 1;
  return ` — ${field} differs at code unit ${at}: ${show(actual.slice(at, at + 1))} instead of ${show(expected.slice(at, at + 1))} (${actual.length} and ${expected.length} code units)`;
}
