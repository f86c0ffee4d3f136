import {
  ContractViolation,
  resolved,
  type Sentence,
  show,
  textOf,
  unlessUnavailable as unless,
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
 * Adds a plant; the store has to return a result, whichever.
 * @param action what was done, for the message; by default, that the plant was added.
 */
export async function addPlant(
  store: PlantStore,
  plant: NewPlant,
  action: Sentence = () => `added ${show(plant)}`,
): Promise<AddResult> {
  const result: unknown = await resolved(action, () => store.plants.add(plant), 'it resolves');
  if (isAddResult(result)) return result;
  const expected = '{outcome: "added"} or {outcome: "exists", plant}';
  throw new ContractViolation(action, `resolved with ${show(result)}`, expected);
}

/** Adds a plant whose id is free. Whether the result is `added`, or `exists` with this plant, is for PR-4 to check. */
export async function addNew(
  store: PlantStore,
  plant: NewPlant,
  action: Sentence = () => `added ${show(plant)}, whose id is free`,
): Promise<void> {
  const result = await addPlant(store, plant, action);
  if (result.outcome === 'exists' && result.plant.name !== plant.name)
    throw new ContractViolation(action, show(result), '{outcome: "added"}');
}

/** Another plant under the same id, and the same but for its name: adding it shows what is stored, and changes nothing. */
export function probeFor(plant: NewPlant): NewPlant {
  return { ...plant, name: `another plant under ${plant.id}` };
}

/** Looks up the plant that has an id, by adding another one under it. */
export async function lookUp(store: PlantStore, plant: NewPlant, action: Sentence): Promise<AddResult> {
  return addPlant(store, probeFor(plant), thenAddedProbe(action, plant));
}

/** Looks up a plant that must be there, and compares it. */
export async function expectStored(store: PlantStore, plant: NewPlant, action: Sentence): Promise<void> {
  expectExists(await lookUp(store, plant, action), plant, thenAddedProbe(action, plant));
}

function thenAddedProbe(action: Sentence, plant: NewPlant): Sentence {
  return () => `${textOf(action)}, then added ${show(probeFor(plant))}`;
}

/** Compares a result with `exists` and the given plant, to the last code unit. */
export function expectExists(result: AddResult, plant: Plant, action: Sentence): void {
  if (result.outcome === 'exists' && isSamePlant(result.plant, plant)) return;
  const expected = `{outcome: "exists", plant: ${show(withoutId(plant))}}`;
  if (result.outcome !== 'exists') throw new ContractViolation(action, show(result), expected);
  const actual: Readonly<Record<string, unknown>> = { ...result.plant };
  const differences = Object.entries(plant).map(([field, text]) => difference(field, actual[field], text));
  throw new ContractViolation(action, show(result) + differences.join(''), expected);
}

/** Not by `plantOf`: what a store may use itself would forget the same fields. */
function withoutId(plant: Plant): object {
  return Object.fromEntries(Object.entries(plant).filter(([field, value]) => field !== 'id' && value !== undefined));
}

/** Waits for a call that must throw StoreUnavailable. */
export async function expectUnavailable(action: Sentence, call: () => Promise<unknown>): Promise<void> {
  const result = await unlessUnavailable(action, call);
  if (result) throw new ContractViolation(action, `resolved with ${show(result.value)}`, 'it throws StoreUnavailable');
}

/** Waits for a call that may throw StoreUnavailable, and nothing else. */
export async function unlessUnavailable<T>(
  action: Sentence,
  call: () => Promise<T>,
): Promise<{ value: T } | undefined> {
  return unless(action, call, StoreUnavailable);
}

function isAddResult(value: unknown): value is AddResult {
  if (typeof value !== 'object' || value === null || !('outcome' in value)) return false;
  if (value.outcome === 'added') return true;
  return value.outcome === 'exists' && 'plant' in value && typeof value.plant === 'object' && value.plant !== null;
}

/** Where two texts begin to differ, for those that look the same or are not shown to their end. */
function difference(field: string, actual: unknown, expected: unknown): string {
  if (typeof actual !== 'string' || typeof expected !== 'string' || actual === expected) return '';
  if (actual.length <= 100 && actual.normalize('NFKC') !== expected.normalize('NFKC')) return '';
  let at = 0;
  while (at < actual.length && actual[at] === expected[at]) at += 1;
  const unit = (text: string) =>
    at < text.length ? `U+${text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')}` : 'the end';
  return ` — ${field} differs at code unit ${at}: ${unit(actual)} instead of ${unit(expected)} (${actual.length} and ${expected.length} code units)`;
}
