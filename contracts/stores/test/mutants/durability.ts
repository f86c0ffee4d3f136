import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { type AddResult, type NewPlant, optionalTextFields } from '@plant-store/domain';
import { ADDED, type StoreMutation } from '../../src/model/model-store.ts';

/** Break PR-10, PR-11 and PR-18: an acknowledged plant is stored durably. */
export const durability: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  // More than two: plants, their texts, and adds in flight.
  'PR-10': {
    'deletes its plants when it is closed': ({ close }, { database }) => ({
      close: () => close().then(() => database.rows.clear()),
    }),
    'cannot tell an absent text from an empty one on the disk': ({ open }, { database }) => ({
      async open() {
        await open();
        for (const [id, plant] of database.rows) database.rows.set(id, { ...emptyTexts, ...plant });
      },
    }),
    'returns `added` for adds in flight when it is closed, and does not store them': ({ write }, store) => ({
      write: async (batch) => (store.closed ? batch.map(() => ADDED) : write(batch)),
    }),
  },
  // More than two: acknowledged plants of one store, those of two calls, and plants in flight.
  'PR-11': {
    'writes plants in place, and a kill leaves half a text': ({ exists }, { database }) => ({
      async enqueue(plant) {
        await database.roundTrip();
        const isNew = database.insert([{ ...plant, name: plant.name.slice(0, 3) }]).size > 0;
        await database.flush();
        if (isNew) database.overwrite(plant);
        await database.flush();
        return isNew ? ADDED : (exists(plant) as AddResult);
      },
    }),
    'returns once the commit has begun': (_, { database }) => ({
      makeDurable: async () => void database.flush().catch(() => {}),
    }),
    'batches adds of the same plant, and returns `exists` to later ones while the batch is in flight': ({
      enqueue,
      commit,
      toPlant,
    }) => {
      const writing = new Map<bigint, NewPlant>();
      return {
        async enqueue(plant) {
          const same = writing.get(plant.id);
          return same ? { outcome: 'exists', plant: toPlant(same, plant) } : enqueue(plant);
        },
        commit(batch) {
          for (const plant of batch) writing.set(plant.id, plant);
          return commit(batch).finally(() => writing.clear());
        },
      };
    },
  },
  // More than two: added plants, existing plants, and calls that hang.
  'PR-18': {
    'returns before the server flushes the commit, as with synchronous_commit = off': (_, { database }) => ({
      async makeDurable() {
        void database.sleep(200).then(() => database.flush().catch(() => {}));
      },
    }),
    'returns `exists` for a row of another store that is not durable yet': ({ makeDurable }) => ({
      makeDurable: (inserted) => (inserted.size > 0 ? makeDurable(inserted) : Promise.resolve()),
    }),
    'never returns if the connection is lost': ({ add }, { database }) => ({
      add: (plant) => add(plant).catch((error) => (database.isDown ? new Promise(() => {}) : Promise.reject(error))),
    }),
  },
});

const emptyTexts = Object.fromEntries(optionalTextFields.map((field) => [field, '']));
