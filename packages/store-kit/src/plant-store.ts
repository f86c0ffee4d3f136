import {
  type AddResult,
  type NewPlant,
  type PlantStore,
  pickPlant,
  StoreMisconfigured,
  StoreOverloaded,
  StoreUnavailable,
  textFields,
} from '@plant-store/domain';
import { type BatchEngine, type GroupCommitLimits, groupCommit, type ItemSpec } from '@plant-store/group-commit';
import { type StoreObserver, unobserved } from './store-observer.ts';

/**
 * Opens a store that writes plants in batches. The adapter of a SQL database uses `sqlStorage` instead. In an outage the store rejects
 * adds, and recovers by itself.
 *
 * @throws {StoreMisconfigured} if waiting does not help; {@link RangeError} if a limit is out of its range.
 */
export async function openPlantStore(
  engine: BatchEngine<NewPlant, AddResult>,
  { observer = unobserved, ...limits }: GroupCommitLimits & { readonly observer?: StoreObserver | undefined },
): Promise<PlantStore> {
  const { submit, check, close } = groupCommit(engine, spec, limits, observer);
  try {
    await check();
  } catch (error) {
    if (StoreMisconfigured.is(error)) {
      await close();
      throw error;
    }
  }
  return { plants: { add: submit }, check, close };
}

const spec: ItemSpec<NewPlant, bigint, AddResult> = {
  toKey: ({ id }) => id,
  /** In UTF-16 code units of its texts. */
  measure: (plant) => textFields.reduce((size, field) => size + (plant[field]?.length ?? 0), 0),
  snapshot: (plant) => ({ id: plant.id, ...pickPlant(plant) }),
  repeat: (result, first) => (result.outcome === 'added' ? { outcome: 'exists', plant: pickPlant(first) } : result),
  errors: { Unavailable: StoreUnavailable, Overloaded: StoreOverloaded },
};
