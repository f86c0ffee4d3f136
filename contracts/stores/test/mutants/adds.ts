import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { isSamePlant, type NewPlant, type Plant, PlantRefused, plantOf, StoreUnavailable } from '@plant-store/domain';
import { ADDED, type StoreMutation } from '../../src/model/model-store.ts';

/** Break PR-4, PR-5, PR-8, PR-9 and PR-16: what an add returns, and how it affects others. */
export const adds: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  // More than two: each result is checked alone and among many, and the same texts under another id.
  'PR-4': {
    'returns `added` if the same plant is there already': ({ exists }, { database }) => ({
      exists(asked) {
        const stored = database.rows.get(asked.id);
        return stored && isSamePlant(stored, asked) ? ADDED : exists(asked);
      },
    }),
    'retries if the response to its first write is lost, and returns `exists` for its own plants': ({ commit }) => {
      let isFirst = true;
      return {
        async commit(batch) {
          if (isFirst) await commit(batch);
          isFirst = false;
          return commit(batch);
        },
      };
    },
    'stores the first thousand of the waiting adds, and acknowledges all': ({ write }) => ({
      async write(batch) {
        const outcomes = await write(batch.slice(0, 1_000));
        return batch.map((_, at) => outcomes[at] ?? ADDED);
      },
    }),
    'has a unique index on the name': ({ commit }, { database: { rows } }) => ({
      async commit(batch) {
        const isTaken = ({ id, name }: NewPlant) =>
          !rows.has(id) && [...rows.values()].some((row) => row.name === name);
        const inserted = batch.filter((plant) => !isTaken(plant));
        const outcomes = await commit(inserted);
        const error = new Error('duplicate key value violates unique constraint plants_name_key');
        return batch.map((plant) => outcomes[inserted.indexOf(plant)] ?? error);
      },
    }),
  },
  'PR-5': {
    'updates all but the name of the plant that has the id': ({ exists }, { database }) => ({
      exists(asked) {
        const result = exists(asked);
        if ('plant' in result) database.overwrite({ ...asked, name: result.plant.name });
        return result;
      },
    }),
    'returns the plant that was passed in if the names are equal': ({ toPlant }) => ({
      toPlant: (stored, asked) => (stored.name === asked.name ? plantOf(asked) : toPlant(stored, asked)),
    }),
  },
  'PR-8': {
    'reads the object that was passed in only when it is written': () => ({ snapshot: (plant) => plant }),
    'caches the plant that it toPlant, and returns the same object again': ({ toPlant }) => {
      const cache = new Map<bigint, Plant>();
      return {
        toPlant(stored, asked) {
          const plant = cache.get(asked.id) ?? toPlant(stored, asked);
          cache.set(asked.id, plant);
          return plant;
        },
      };
    },
  },
  'PR-9': {
    'returns `added` for the plants beside a taken id, and rolls them back, as INSERT OR ROLLBACK does': (
      { commit },
      { database },
    ) => ({
      async commit(batch) {
        const outcomes = await commit(batch);
        const added = batch.filter((_, at) => outcomes[at] === ADDED);
        if (added.length < batch.length) for (const { id } of added) database.write(id, undefined);
        return outcomes;
      },
    }),
    'acquires one of ten connections for each conflict, and never releases it': ({ write }, store) => ({
      async write(batch) {
        const outcomes = await write(batch);
        for (const each of outcomes) if (each !== ADDED) await store.acquire();
        return outcomes;
      },
    }),
  },
  'PR-16': {
    'returns `added` for the plants beside a refused one, and rolls them back with it': (_, { database }) => ({
      retryAlone: async (batch, reason) => batch.map(({ id }) => (database.refusedIds.has(id) ? reason : ADDED)),
    }),
    'throws StoreUnavailable if it refuses a plant': ({ retryAlone }) => ({
      retryAlone: (batch, cause) =>
        retryAlone(batch, PlantRefused.is(cause) ? new StoreUnavailable('refused', { cause }) : cause),
    }),
  },
});
