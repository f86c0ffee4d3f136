import { mutantTable } from '@plant-store/contracts-kit';
import type { AddResult, NewPlant } from '@plant-store/domain';
import type { Database } from '../model/database.ts';
import type { StoreClass } from '../model/model-harness.ts';
import { ADDED, ModelStore, TIMEOUT_MS } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';
import { Pool } from './pool.ts';

/** Break PR-12: a store that cannot answer throws StoreUnavailable within its time-out, and never hangs. */
export const outages: readonly StoreMutant[] = mutantTable({
  'PR-12': {
    'has ten connections, and waits for a free one as long as it takes': class extends ModelStore {
      readonly #pool = new Pool(10);

      protected override async add(plant: NewPlant): Promise<AddResult> {
        this.assertOpen();
        const asked = this.snapshot(plant);
        await this.#pool.take();
        try {
          return await this.withTimeout(this.enqueue(asked));
        } finally {
          this.#pool.release();
        }
      }
    },
    'throws only after twice the time that it may take': failing(async (error, { sleep }) => {
      await sleep(TIMEOUT_MS);
      throw error;
    }),
    'throws an error of its driver': failing(async () => {
      throw new Error('timeout exceeded when trying to connect');
    }),
    'returns `added` in an outage, and stores the plant after it': class extends ModelStore {
      protected override async add(plant: NewPlant): Promise<AddResult> {
        const result = super.add(plant);
        if (!this.database.outage) return result;
        result.catch(() => {});
        return ADDED;
      }
    },
  },
});

/** A store that has a way of its own to fail in an outage. */
function failing(fail: (error: unknown, database: Database) => Promise<never>): StoreClass {
  return class extends ModelStore {
    protected override async add(plant: NewPlant): Promise<AddResult> {
      try {
        return await super.add(plant);
      } catch (error) {
        if (this.database.outage) return fail(error, this.database);
        throw error;
      }
    }
  };
}
