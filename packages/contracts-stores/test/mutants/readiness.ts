import { mutantTable } from '@plant-store/contracts-kit';
import { type NewPlant, StoreUnavailable } from '@plant-store/domain';
import { ModelStore, type Settled } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-14: check resolves while the store can answer. */
export const readiness: readonly StoreMutant[] = mutantTable({
  'PR-14': {
    'reads a plant to see whether it is ready, and is not while there is none': class extends ModelStore {
      override async check(): Promise<void> {
        await super.check();
        await this.connection.reach();
        if (this.database.rows.size === 0) throw new StoreUnavailable('no row returned');
      }
    },
    'takes a connection for every check, out of ten, and never gives it back': class extends ModelStore {
      #free = 10;

      protected override async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        if (this.#free <= 0) await new Promise(() => {});
        return super.write(batch);
      }

      override async check(): Promise<void> {
        await super.check();
        this.#free -= 1;
      }
    },
  },
});
