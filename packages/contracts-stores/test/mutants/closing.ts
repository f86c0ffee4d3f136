import { mutantTable } from '@plant-store/contracts-kit';
import type { AddResult, NewPlant } from '@plant-store/domain';
import { ModelStore } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-15: close lets what is in flight finish, may be called again, and later calls throw StoreUnavailable. */
export const closing: readonly StoreMutant[] = mutantTable({
  'PR-15': {
    'does not wait for what is in flight when it is closed': class extends ModelStore {
      override async close(): Promise<void> {
        this.closed = true;
      }
    },
    'throws when it is closed a second time': class extends ModelStore {
      override async close(): Promise<void> {
        if (this.closed) throw new Error('called end on pool more than once');
        await super.close();
      }
    },
    'connects again for an add after it was closed': class extends ModelStore {
      #ended = false;

      protected override assertOpen(): void {
        if (!this.#ended) super.assertOpen();
      }

      override async close(): Promise<void> {
        await super.close();
        this.#ended = true;
      }
    },
    'never settles adds after it was closed': class extends ModelStore {
      protected override async add(plant: NewPlant): Promise<AddResult> {
        if (this.closed) await new Promise(() => {});
        return super.add(plant);
      }
    },
    'is ready after it was closed': class extends ModelStore {
      override async check(): Promise<void> {
        if (!this.closed) await super.check();
      }
    },
  },
});
