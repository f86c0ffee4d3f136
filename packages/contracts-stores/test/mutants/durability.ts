import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { type AddResult, type NewPlant, optionalTextFields, type Plant, StoreUnavailable } from '@plant-store/domain';
import type { Database } from '../model/database.ts';
import { ADDED, type StoreMutation, settled } from '../model/model-store.ts';

/** Break PR-10, PR-11 and PR-18: an acknowledged plant is there again, whatever ended. */
export const durability: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  'PR-10': {
    'deletes its log when it is closed, with everything in it': ({ close }, { database }) => ({
      close: () => close().then(() => database.clear()),
    }),
    'cannot tell an absent text from an empty one on the disk': readingBack((rows) =>
      rows.map(([id, plant]) => [id, { ...emptyTexts, ...plant }]),
    ),
    'reads back the first hundred plants': readingBack((rows) => rows.slice(0, 100)),
    'returns `added` for adds in flight when it is closed, and does not store them': ({ write }, store) => ({
      write: async (batch) => (store.closed ? batch.map(() => settled(() => ADDED)) : write(batch)),
    }),
  },
  'PR-11': {
    'returns when the commit has begun': (_, { connection }) => ({
      makeDurable: async () => void connection.flush().catch(() => {}),
    }),
    'returns `exists` for a plant that waits to be written': ({ enqueue, returned }) => {
      const waiting = new Map<bigint, NewPlant>();
      return {
        async enqueue(plant) {
          const same = waiting.get(plant.id);
          if (same) return { outcome: 'exists', plant: returned(same, plant) };
          waiting.set(plant.id, plant);
          return enqueue(plant).finally(() => waiting.delete(plant.id));
        },
      };
    },
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
    'leaves a lock file behind, which keeps the next process out': ({ open, close }, { database }) => ({
      async open() {
        await open();
        const lockedBy = lockFiles.get(database) ?? database.crashes;
        if (lockedBy !== database.crashes) throw new StoreUnavailable('another process has the lock file');
        lockFiles.set(database, lockedBy);
      },
      close: () => close().then(() => void lockFiles.delete(database)),
    }),
  },
  'PR-18': {
    'returns when the server has the commit in memory, as with synchronous_commit = off': (_, store) => ({
      async makeDurable() {
        await store.connection.commit();
        void store.database.sleep(200).then(() => store.connection.flush().catch(() => {}));
      },
    }),
    'batches those who add the same plant, and returns `exists` for a row of another store that is not on disk yet': ({
      makeDurable,
    }) => ({
      makeDurable: (inserted) => (inserted.size > 0 ? makeDurable(inserted) : Promise.resolve()),
    }),
    'takes a commit whose connection was lost for one that was made': losing(async () => ADDED),
    'never settles if the connection is lost': losing(() => new Promise(() => {})),
  },
});

const emptyTexts = Object.fromEntries(optionalTextFields.map((field) => [field, '']));

/** Which process, counted by crashes, left a lock file. */
const lockFiles = new WeakMap<Database, number>();

/** A store that misreads its rows when it is opened. */
function readingBack(change: (rows: readonly [bigint, Plant][]) => readonly [bigint, Plant][]): StoreMutation {
  return ({ open }, { database }) => ({
    async open() {
      await open();
      const rows = change([...database.rows]);
      database.rows.clear();
      for (const [id, plant] of rows) database.rows.set(id, plant);
    },
  });
}

/** A store with its own result for an add whose connection was lost with the server. */
function losing(result: () => Promise<AddResult>): StoreMutation {
  return ({ add }, { database }) => ({
    add: (plant) =>
      add(plant).catch((error) => {
        if (error instanceof StoreUnavailable && database.isDown) return result();
        throw error;
      }),
  });
}
