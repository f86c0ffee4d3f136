import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { type NewPlant, optionalTextFields } from '@plant-store/domain';
import { ADDED, type StoreMutation } from '../model/model-store.ts';

/** Break PR-10, PR-11 and PR-18: an acknowledged plant is there again, whatever ended. */
export const durability: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  // More than two: plants, their texts, and what is in flight.
  'PR-10': {
    'deletes its log when it is closed, with everything in it': ({ close }, { database }) => ({
      close: () => close().then(() => database.clear()),
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
  'PR-11': {
    'returns when the commit has begun': (_, { database }) => ({
      makeDurable: async () => void database.flush().catch(() => {}),
    }),
    'batches those who add the same plant at once, and returns `exists` to others while the batch is being written': ({
      enqueue,
      commit,
      returned,
    }) => {
      const writing = new Map<bigint, NewPlant>();
      return {
        async enqueue(plant) {
          const same = writing.get(plant.id);
          return same ? { outcome: 'exists', plant: returned(same, plant) } : enqueue(plant);
        },
        commit(batch) {
          for (const plant of batch) writing.set(plant.id, plant);
          return commit(batch).finally(() => writing.clear());
        },
      };
    },
  },
  // More than two: what is acknowledged, by whom, and whether each call settles.
  'PR-18': {
    'returns when the server has the commit in memory, as with synchronous_commit = off': (_, { database }) => ({
      async makeDurable() {
        await database.commit();
        void database.sleep(200).then(() => database.flush().catch(() => {}));
      },
    }),
    'batches those who add the same plant, and returns `exists` for a row of another store that is not on disk yet': ({
      makeDurable,
    }) => ({
      makeDurable: (inserted) => (inserted.size > 0 ? makeDurable(inserted) : Promise.resolve()),
    }),
    'never settles if the connection is lost': ({ add }, { database }) => ({
      add: (plant) => add(plant).catch((error) => (database.isDown ? new Promise(() => {}) : Promise.reject(error))),
    }),
  },
});

const emptyTexts = Object.fromEntries(optionalTextFields.map((field) => [field, '']));
