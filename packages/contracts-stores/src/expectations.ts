import { ContractViolation, resolved, show, unlessUnavailable as unless } from '@plant-store/contracts-kit';
import {
  type AddResult,
  isSamePlant,
  type NewPlant,
  type Plant,
  type PlantStore,
  StoreUnavailable,
} from '@plant-store/domain';

/**
 * Adds a plant that the store has to answer, one way or the other.
 * @param did what was done, for the message; that the plant was added, where it is left out.
 */
export async function answerTo(
  store: PlantStore,
  plant: NewPlant,
  did: string = `added ${show(plant)}`,
): Promise<AddResult> {
  const result: unknown = await resolved(did, () => store.plants.add(plant), 'it is answered');
  if (isAddResult(result)) return result;
  throw new ContractViolation(did, `resolved with ${show(result)}`, '{outcome: "added"} or {outcome: "exists", plant}');
}

/** Adds a plant whose id is free. Whether it is told `added`, or `exists` with itself, is for PR-4 to say. */
export async function put(
  store: PlantStore,
  plant: NewPlant,
  did: string = `added ${show(plant)}, whose id is free`,
): Promise<void> {
  const result = await answerTo(store, plant, did);
  if (result.outcome === 'exists' && result.plant.name !== plant.name)
    throw new ContractViolation(did, show(result), '{outcome: "added"}');
}

/** Another plant under the same id, and the same but for its name: adding it shows what is stored, and changes nothing. */
export function probeFor(plant: NewPlant): NewPlant {
  return { ...plant, name: `another plant under ${plant.id}` };
}

/** Asks for the plant that has an id, by adding another one under it. */
export async function ask(store: PlantStore, plant: NewPlant, did: string): Promise<AddResult> {
  return answerTo(store, probeFor(plant), `${did}, then added ${show(probeFor(plant))}`);
}

/** Asks for a plant that must be there, and compares it. */
export async function expectStored(store: PlantStore, plant: NewPlant, did: string): Promise<void> {
  expectExists(await ask(store, plant, did), plant, `${did}, then added ${show(probeFor(plant))}`);
}

/** Compares a result with `exists` and the given plant, to the last code unit. */
export function expectExists(result: AddResult, plant: Plant, did: string): void {
  const promised = `{outcome: "exists", plant: ${show(withoutId(plant))}}`;
  if (result.outcome !== 'exists') throw new ContractViolation(did, show(result), promised);
  if (isSamePlant(result.plant, plant)) return;
  const came: Readonly<Record<string, unknown>> = { ...result.plant };
  const differences = Object.entries(plant).map(([member, value]) => difference(member, came[member], value));
  throw new ContractViolation(did, show(result) + differences.join(''), promised);
}

/** Not by `plantOf`: what a store may use itself would forget the same members. */
function withoutId(plant: Plant): object {
  return Object.fromEntries(Object.entries(plant).filter(([member, value]) => member !== 'id' && value !== undefined));
}

/** Waits for a call that must throw StoreUnavailable. */
export async function expectUnavailable(did: string, call: () => Promise<unknown>): Promise<void> {
  const answer = await unlessUnavailable(did, call);
  if (answer) throw new ContractViolation(did, `resolved with ${show(answer.value)}`, 'it throws StoreUnavailable');
}

/** Waits for a call that may throw StoreUnavailable, and nothing else. */
export async function unlessUnavailable<T>(did: string, call: () => Promise<T>): Promise<{ value: T } | undefined> {
  return unless(did, call, StoreUnavailable);
}

function isAddResult(value: unknown): value is AddResult {
  if (typeof value !== 'object' || value === null || !('outcome' in value)) return false;
  if (value.outcome === 'added') return true;
  return value.outcome === 'exists' && 'plant' in value && typeof value.plant === 'object' && value.plant !== null;
}

/** Where two texts begin to differ, for those that look the same or are not shown to their end. */
function difference(member: string, came: unknown, promised: unknown): string {
  if (typeof came !== 'string' || typeof promised !== 'string' || came === promised) return '';
  if (came.length <= 100 && came.normalize('NFKC') !== promised.normalize('NFKC')) return '';
  let at = 0;
  while (at < came.length && came[at] === promised[at]) at += 1;
  const unit = (text: string) =>
    at < text.length ? `U+${text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')}` : 'the end';
  return ` — ${member} differs at code unit ${at}: ${unit(came)} came, ${unit(promised)} was promised (${came.length} and ${promised.length} code units)`;
}
