import type { NewPlant, Plant } from '../plant.ts';
import { type AddResult, type PlantStore, StoreUnavailable } from '../plant-repository.ts';
import { BrokenPromise, show } from './contract.ts';
import type { PreparedStore, StoreUnderTest } from './store-under-test.ts';

/** Prepares an empty place, hands it to the clause, and disposes of it whatever happens. */
export async function inPreparedStore(
  subject: StoreUnderTest,
  use: (prepared: PreparedStore) => Promise<void>,
): Promise<void> {
  const prepared = await subject.prepare();
  try {
    await use(prepared);
  } finally {
    await prepared.dispose();
  }
}

/** The same with one store open on the place. */
export async function inOpenStore(subject: StoreUnderTest, use: (store: PlantStore) => Promise<void>): Promise<void> {
  await inPreparedStore(subject, async (prepared) => {
    const store = await prepared.open();
    try {
      await use(store);
    } finally {
      await store.close();
    }
  });
}

/** Adds a plant whose id is free. */
export async function addFresh(store: PlantStore, plant: NewPlant): Promise<void> {
  const result = await store.plants.add(plant);
  if (result.outcome !== 'added') {
    throw new BrokenPromise(`added ${show(plant)}, whose id is free`, show(result), '{outcome: "added"}');
  }
}

/** Asks for a plant that must be there, by adding another one under its id, and compares it. */
export async function expectStored(store: PlantStore, plant: NewPlant, did: string): Promise<void> {
  const probe: NewPlant = { id: plant.id, name: `${plant.name.slice(0, 20)} (probe)` };
  expectExists(await store.plants.add(probe), plant, `${did}, then added ${show(probe)}`);
}

/** Compares a result with `exists` and the given plant, to the last code unit; no member more, none less. */
export function expectExists(result: AddResult, plant: Plant, did: string): void {
  const expected = plant.tag === undefined ? { name: plant.name } : { name: plant.name, tag: plant.tag };
  const promised = `{outcome: "exists", plant: ${show(expected)}}`;
  if (result.outcome !== 'exists') throw new BrokenPromise(did, show(result), promised);
  const { name, tag, ...others } = result.plant;
  const same = name === expected.name && tag === expected.tag && 'tag' in result.plant === 'tag' in expected;
  if (!same || Object.keys(others).length > 0) {
    const where = name === expected.name ? '' : ` — the names differ ${firstDifference(name, expected.name)}`;
    throw new BrokenPromise(did, show(result) + where, promised);
  }
}

/** Waits for a call that must throw StoreUnavailable. */
export async function expectUnavailable(did: string, call: () => Promise<unknown>): Promise<void> {
  let came: string;
  try {
    came = `resolved with ${show(await call())}`;
  } catch (error) {
    if (error instanceof StoreUnavailable) return;
    came = `threw ${show(error)}`;
  }
  throw new BrokenPromise(did, came, 'it throws StoreUnavailable');
}

/** What a promise in the manifest obliges the author to supply; leaving it out is a broken promise, not a skip. */
export function required<T>(supplied: T | undefined, name: keyof PreparedStore, promise: string): T {
  if (supplied !== undefined) return supplied;
  throw new BrokenPromise(
    `looked for ${name}() in what prepare() resolved with`,
    'it is not there',
    `a store that promises ${promise} is tested with ${name}(); supply it, or do not promise ${promise}`,
  );
}

function firstDifference(came: string, promised: string): string {
  let at = 0;
  while (at < came.length && came[at] === promised[at]) at += 1;
  const unit = (text: string) =>
    at < text.length ? `U+${text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')}` : 'the end';
  return `at code unit ${at}: ${unit(came)} came, ${unit(promised)} was promised (${came.length} and ${promised.length} code units)`;
}
