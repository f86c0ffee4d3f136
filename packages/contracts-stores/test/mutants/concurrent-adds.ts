import { mutantTable } from '@plant-store/contracts-kit';
import type { NewPlant } from '@plant-store/domain';
import { ADDED, ModelStore, type Settled } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-9: an add whose id is taken does not affect concurrent adds. */
export const concurrentAdds: readonly StoreMutant[] = mutantTable({
  'PR-9': {
    'returns `added` for the plants beside a taken id, and rolls them back: INSERT OR ROLLBACK': class extends ModelStore {
      protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        const results = await super.commit(batch);
        if (!metTaken(batch, results)) return results;
        for (const { id } of addedOf(batch, results)) this.database.delete(id);
        return results;
      }
    },
    'returns the results of a batch in the order of RETURNING, which has only what was inserted': class extends ModelStore {
      protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        const results = await super.commit(batch);
        return [...results.filter(isAdded), ...results.filter((result) => !isAdded(result))];
      }
    },
  },
});

/** Whether plants were added beside one whose id was taken before them. */
function metTaken(batch: readonly NewPlant[], results: readonly Settled[]): boolean {
  const ids = new Set(addedOf(batch, results).map(({ id }) => id));
  return ids.size > 0 && batch.some(({ id }) => !ids.has(id));
}

function addedOf(batch: readonly NewPlant[], results: readonly Settled[]): NewPlant[] {
  return batch.filter((_, at) => isAdded(results[at]));
}

function isAdded(result: Settled | undefined): boolean {
  return result?.status === 'fulfilled' && result.value === ADDED;
}
