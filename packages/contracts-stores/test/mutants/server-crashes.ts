import { mutantTable } from '@plant-store/contracts-kit';
import { type AddResult, type NewPlant, StoreUnavailable } from '@plant-store/domain';
import type { StoreClass } from '../model/model-harness.ts';
import { ADDED, ModelStore } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-18: an acknowledged plant is there after the server was killed, and other adds throw StoreUnavailable. */
export const serverCrashes: readonly StoreMutant[] = mutantTable({
  'PR-18': {
    'returns when the server has the commit in memory, as with synchronous_commit = off': class extends ModelStore {
      protected override async makeDurable(): Promise<void> {
        await this.connection.commit();
        this.#flushLater().catch(() => {});
      }

      async #flushLater(): Promise<void> {
        await this.database.sleep(200);
        await this.connection.flush();
      }
    },
    "waits for the server's disk if it inserted, and returns `exists` for what is still being written there": class extends ModelStore {
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
    'batches those who add the same plant, and returns `exists` for a row of another store that is not on disk yet': class extends ModelStore {
      protected override makeDurable(inserted: ReadonlySet<NewPlant>): Promise<void> {
        return inserted.size > 0 ? super.makeDurable(inserted) : Promise.resolve();
      }
    },
    'takes a commit whose connection was lost for one that was made': losing(async () => ADDED),
    'throws an error of its driver when the connection is lost': losing(async () => {
      throw new Error('Connection terminated unexpectedly');
    }),
    'never settles if the connection is lost': losing(() => new Promise(() => {})),
  },
});

/** A store with its own result for an add whose connection was lost with the server. */
function losing(result: () => Promise<AddResult>): StoreClass {
  return class extends ModelStore {
    protected override async add(plant: NewPlant): Promise<AddResult> {
      try {
        return await super.add(plant);
      } catch (error) {
        if (error instanceof StoreUnavailable && this.database.isDown) return result();
        throw error;
      }
    }
  };
}
