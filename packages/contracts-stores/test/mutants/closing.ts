import { mutantTable } from '@plant-store/contracts-kit';
import type { AddResult, NewPlant } from '@plant-store/domain';
import { ModelStore } from '../model/model-store.ts';
import { CountingStore } from './counting-store.ts';
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
    'waits for its connection to end when it is closed again after the connection has ended': class extends ModelStore {
      #ended = false;

      override async close(): Promise<void> {
        if (this.#ended) await new Promise(() => {});
        await super.close();
        this.#ended = true;
      }
    },
    'never ends to close, for a connection is never given back': class extends ModelStore {
      override async close(): Promise<void> {
        await super.close();
        await new Promise(() => {});
      }
    },
    'throws on close while adds are in flight': class extends CountingStore {
      override async close(): Promise<void> {
        const adding = this.adding;
        await super.close();
        if (adding > 0) throw new Error('unable to close due to unfinalized statements');
      }
    },
    'accepts adds after it was closed': class extends ModelStore {
      protected override async add(plant: NewPlant): Promise<AddResult> {
        return this.withTimeout(this.enqueue(this.snapshot(plant)));
      }
    },
    'accepts adds until it has finished closing': class extends ModelStore {
      #hasClosed = false;

      protected override assertOpen(): void {
        if (this.#hasClosed) super.assertOpen();
      }

      override async close(): Promise<void> {
        await super.close();
        this.#hasClosed = true;
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
    'throws an error of its driver at adds after it was closed': class extends ModelStore {
      protected override async add(plant: NewPlant): Promise<AddResult> {
        if (this.closed) throw new Error('Cannot use a pool after calling end on the pool');
        return super.add(plant);
      }
    },
    'never settles adds after it was closed': class extends ModelStore {
      protected override async add(plant: NewPlant): Promise<AddResult> {
        if (this.closed) await new Promise(() => {});
        return super.add(plant);
      }
    },
    'throws an error of its driver at checks after it was closed': class extends ModelStore {
      override async check(): Promise<void> {
        if (this.closed) throw new TypeError("Cannot read properties of undefined (reading 'query')");
        await super.check();
      }
    },
    'is ready after it was closed': class extends ModelStore {
      override async check(): Promise<void> {
        if (!this.closed) await super.check();
      }
    },
  },
});
