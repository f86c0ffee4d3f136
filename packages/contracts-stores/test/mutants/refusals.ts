import { mutantTable } from '@plant-store/contracts-kit';
import { type NewPlant, PlantRefused, StoreUnavailable } from '@plant-store/domain';
import type { StoreClass } from '../model/model-harness.ts';
import { ADDED, ModelStore, type Settled, settled } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-16: a plant that the store rejects fails with PlantRefused, and alone. */
export const refusals: readonly StoreMutant[] = mutantTable({
  'PR-16': {
    'fails the whole batch if one plant of it is rejected': class extends ModelStore {
      protected override async reject(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        return batch.map(() => ({ status: 'rejected', reason }));
      }
    },
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
    'writes the plants of such a batch one by one, and repeats the result of a taken id for those after it': class extends ModelStore {
      protected override async reject(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        const results = await super.reject(batch, reason);
        const taken = results.findIndex((result) => result.status === 'fulfilled' && result.value.outcome === 'exists');
        return results.map((result, at) => (taken >= 0 && at > taken ? (results[taken] ?? result) : result));
      }
    },
    'throws for the plants after a rejected one in its batch': class extends ModelStore {
      protected override async reject(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        const rejected = batch.findIndex(({ id }) => this.database.rejected.has(id));
        const results = await this.commit(batch.slice(0, rejected));
        return batch.map((_, at) => results[at] ?? { status: 'rejected', reason });
      }
    },
    'returns `added` if the store rejects the plant': class extends ModelStore {
      protected override async reject(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        return batch.length === 1 ? [settled(() => ADDED)] : super.reject(batch, reason);
      }
    },
    'takes any error for a taken id, and its own plant for the one that has it': class extends ModelStore {
      protected override async reject(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        const [{ id, ...plant }, ...others] = batch as [NewPlant, ...NewPlant[]];
        return others.length > 0 ? super.reject(batch, reason) : [settled(() => ({ outcome: 'exists', plant }))];
      }
    },
    'retries a batch for as long as a plant of it is rejected': class extends ModelStore {
      protected override async reject(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        await this.database.sleep(10);
        return this.write(batch);
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
    'takes a connection of ten for every rejected plant, and never releases it': class extends ModelStore {
      #free = 10;

      protected override async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        if (this.#free <= 0) await new Promise(() => {});
        return super.write(batch);
      }

      protected override async reject(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        if (batch.length === 1) this.#free -= 1;
        return super.reject(batch, reason);
      }
    },
    'throws StoreUnavailable if it rejects a plant': throwing(StoreUnavailable),
    'throws an error of its own if it rejects a plant': throwing(Error),
  },
});

function throwing(Failure: ErrorConstructor | typeof StoreUnavailable): StoreClass {
  return class extends ModelStore {
    protected override async reject(batch: readonly NewPlant[], cause: unknown): Promise<readonly Settled[]> {
      return super.reject(batch, cause instanceof PlantRefused ? new Failure('refused', { cause }) : cause);
    }
  };
}
