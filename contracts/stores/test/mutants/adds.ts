import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { isSamePlant, type NewPlant, type Plant, PlantRefused, plantOf, StoreUnavailable } from '@plant-store/domain';
import { ADDED, type Settled, type StoreMutation, settled } from '../model/model-store.ts';

/** Break PR-4, PR-5, PR-8, PR-9 and PR-16: what an add returns, and what it does to others. */
export const adds: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  // More than two: each result is looked at by itself, once alone and once among many.
  'PR-4': {
    'returns `added` if the same plant is there already': ({ exists }, { connection }) => ({
      exists(asked) {
        const stored = connection.find(asked.id);
        return stored && isSamePlant(stored, asked) ? ADDED : exists(asked);
      },
    }),
    'retries when the response to its first write is lost, and takes its own plants for older ones': ({ commit }) => {
      let isFirst = true;
      return {
        async commit(batch) {
          if (isFirst) await commit(batch);
          isFirst = false;
          return commit(batch);
        },
      };
    },
    'stores the first thousand of the waiting adds, and acknowledges the others as well': ({ write }) => ({
      async write(batch) {
        const results = await write(batch.slice(0, 1_000));
        return batch.map((_, at) => results[at] ?? settled(() => ADDED));
      },
    }),
    'has a unique index on the name': ({ commit }, { connection, database }) => ({
      async commit(batch) {
        const isTaken = ({ id, name }: NewPlant) =>
          !connection.find(id) && [...database.rows.values()].some((row) => row.name === name);
        const inserted = batch.filter((plant) => !isTaken(plant));
        const results = await commit(inserted);
        const reason = new Error('duplicate key value violates unique constraint plants_name_key');
        return batch.map((plant) => results[inserted.indexOf(plant)] ?? { status: 'rejected', reason });
      },
    }),
  },
  'PR-5': {
    'updates all but the name of the plant that has the id': ({ exists }, { connection }) => ({
      exists(asked) {
        const result = exists(asked);
        if (result.outcome === 'exists') connection.overwrite({ ...asked, name: result.plant.name });
        return result;
      },
    }),
    'returns the plant that was passed in if the names are equal': ({ returned }) => ({
      returned: (stored, asked) => (stored.name === asked.name ? plantOf(asked) : returned(stored, asked)),
    }),
  },
  'PR-8': {
    'reads the object that was passed in only when it is written': () => ({ snapshot: (plant) => plant }),
    'caches the plant that it returned, and returns the same object again': ({ returned }) => {
      const cache = new Map<bigint, Plant>();
      return {
        returned(stored, asked) {
          const plant = cache.get(asked.id) ?? returned(stored, asked);
          cache.set(asked.id, plant);
          return plant;
        },
      };
    },
  },
  // More than two: the plants beside a conflict, their order, and what each conflict takes.
  'PR-9': {
    'returns `added` for the plants beside a taken id, and rolls them back: INSERT OR ROLLBACK': (
      { commit },
      { database },
    ) => ({
      async commit(batch) {
        const results = await commit(batch);
        const ids = new Set(batch.flatMap(({ id }, at) => (isAdded(results[at]) ? [id] : [])));
        if (batch.some(({ id }) => !ids.has(id))) for (const id of ids) database.delete(id);
        return results;
      },
    }),
    'returns the results of a batch in the order of RETURNING, which has only what was inserted': ({ commit }) => ({
      async commit(batch) {
        const results = await commit(batch);
        return [...results.filter(isAdded), ...results.filter((result) => !isAdded(result))];
      },
    }),
    'takes a connection of ten for every conflict, and never releases it': ({ write }) => {
      let free = 10;
      return {
        async write(batch) {
          if (free <= 0) await new Promise(() => {});
          const results = await write(batch);
          free -= results.filter((result) => result.status === 'fulfilled' && !isAdded(result)).length;
          return results;
        },
      };
    },
  },
  // More than two: the plants beside a rejected one, its own result, its error.
  'PR-16': {
    'returns `added` for the plants beside a rejected one, and rolls them back with it': (
      { exists },
      { connection, database },
    ) => ({
      reject: async (batch, reason) =>
        batch.map((plant) =>
          settled(() => {
            if (database.rejected.has(plant.id)) throw reason;
            return connection.find(plant.id) ? exists(plant) : ADDED;
          }),
        ),
    }),
    'writes a batch without its rejected plant, and returns the results in the wrong order': (
      { commit },
      { database },
    ) => ({
      reject: async (batch, reason) => [
        ...(await commit(batch.filter(({ id }) => !database.rejected.has(id)))),
        { status: 'rejected', reason },
      ],
    }),
    'throws StoreUnavailable if it rejects a plant': ({ reject }) => ({
      reject: (batch, cause) =>
        reject(batch, cause instanceof PlantRefused ? new StoreUnavailable('refused', { cause }) : cause),
    }),
  },
});

function isAdded(result: Settled | undefined): boolean {
  return result?.status === 'fulfilled' && result.value === ADDED;
}
