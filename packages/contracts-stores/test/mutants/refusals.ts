import { mutantTable } from '@plant-store/contracts-kit';
import { type NewPlant, PlantRefused, StoreUnavailable } from '@plant-store/domain';
import type { StoreClass } from '../model/model-harness.ts';
import { ADDED, ModelStore, type Settled, settled } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-16: a plant that the store rejects fails with PlantRefused, and alone. */
export const refusals: readonly StoreMutant[] = mutantTable({
  'PR-16': {
    'returns `added` for the plants beside a rejected one, and rolls them back with it': class extends ModelStore {
      protected override async reject(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        return batch.map((plant) =>
          settled(() => {
            if (this.database.rejected.has(plant.id)) throw reason;
            return this.connection.find(plant.id) ? this.exists(plant) : ADDED;
          }),
        );
      }
    },
    'writes a batch without its rejected plant, and returns the results in the wrong order': class extends ModelStore {
      protected override async reject(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        const results = await this.commit(batch.filter(({ id }) => !this.database.rejected.has(id)));
        return [...results, { status: 'rejected', reason }];
      }
    },
    'throws for the plants after a rejected one in its batch': class extends ModelStore {
      protected override async reject(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        const rejected = batch.findIndex(({ id }) => this.database.rejected.has(id));
        const results = await this.commit(batch.slice(0, rejected));
        return batch.map((_, at) => results[at] ?? { status: 'rejected', reason });
      }
    },
    'does not roll back after a rejected plant: current transaction is aborted, commands are ignored': class extends ModelStore {
      #aborted: unknown;

      protected override async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        if (!this.#aborted) return super.write(batch);
        return batch.map(() => ({ status: 'rejected', reason: this.#aborted }));
      }

      protected override async reject(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        const results = await super.reject(batch, reason);
        this.#aborted = new Error('current transaction is aborted');
        return results;
      }
    },
    'throws StoreUnavailable if it rejects a plant': throwing(StoreUnavailable),
  },
});

function throwing(Failure: ErrorConstructor | typeof StoreUnavailable): StoreClass {
  return class extends ModelStore {
    protected override async reject(batch: readonly NewPlant[], cause: unknown): Promise<readonly Settled[]> {
      return super.reject(batch, cause instanceof PlantRefused ? new Failure('refused', { cause }) : cause);
    }
  };
}
