import { type AddResult, type NewPlant, StoreUnavailable } from '@plant-store/domain';
import { ADDED, ModelStore } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-18: an acknowledged plant is there after the server was killed, and other adds throw StoreUnavailable. */
export const serverCrashes: readonly StoreMutant[] = [
  [
    'PR-18',
    'returns when the server has the commit in memory, as with synchronous_commit = off',
    class extends ModelStore {
      protected override async makeDurable(): Promise<void> {
        await this.connection.commit();
        this.#flushLater().catch(() => {});
      }

      async #flushLater(): Promise<void> {
        await this.database.sleep(200);
        await this.connection.flush();
      }
    },
  ],
  [
    'PR-18',
    "waits for the server's disk if it inserted, and returns `exists` for what is still being written there",
    class extends ModelStore {
      /** Each add is a transaction of its own. */
      protected override async enqueue(plant: NewPlant): Promise<AddResult> {
        await this.connection.reach();
        const inserted = this.connection.insert([plant]);
        await this.connection.commit();
        if (inserted.size === 0) return this.exists(plant);
        await this.connection.flush();
        return ADDED;
      }
    },
  ],
  [
    'PR-18',
    'batches those who add the same plant, and returns `exists` for a row of another store that is not on disk yet',
    class extends ModelStore {
      protected override makeDurable(inserted: ReadonlySet<NewPlant>): Promise<void> {
        return inserted.size > 0 ? super.makeDurable(inserted) : Promise.resolve();
      }
    },
  ],
  losing('takes a commit whose connection was lost for one that was made', async () => ADDED),
  losing('throws an error of its driver when the connection is lost', async () => {
    throw new Error('Connection terminated unexpectedly');
  }),
  losing('never settles if the connection is lost', () => new Promise(() => {})),
];

/** A store with its own result for an add whose connection was lost with the server. */
function losing(does: string, result: () => Promise<AddResult>): StoreMutant {
  const Store = class extends ModelStore {
    protected override async add(plant: NewPlant): Promise<AddResult> {
      try {
        return await super.add(plant);
      } catch (error) {
        if (error instanceof StoreUnavailable && this.database.isDown) return result();
        throw error;
      }
    }
  };
  return ['PR-18', does, Store];
}
