import { mutantTable } from '@plant-store/contracts-kit';
import { type AddResult, type NewPlant, StoreUnavailable } from '@plant-store/domain';
import { ModelStore, TIMEOUT_MS } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';
import { Pool } from './pool.ts';

/** Break PR-13: once the store can answer again, adds succeed again by themselves. */
export const recovery: readonly StoreMutant[] = mutantTable({
  'PR-13': {
    'never releases a connection that timed out': class extends ModelStore {
      readonly #pool = new Pool(10);

      protected override async enqueue(plant: NewPlant): Promise<AddResult> {
        await this.#pool.take();
        const result = super.enqueue(plant);
        const release = () => this.#pool.release();
        this.withTimeout(result).then(release, (error) => error instanceof StoreUnavailable || release());
        return result;
      }
    },
    'connects again only when somebody calls check()': class extends ModelStore {
      #connected = true;

      protected override async add(plant: NewPlant): Promise<AddResult> {
        if (!this.#connected && !this.closed) throw new StoreUnavailable('not connected');
        try {
          return await super.add(plant);
        } catch (error) {
          if (this.database.outage) this.#connected = false;
          throw error;
        }
      }

      override async check(): Promise<void> {
        await super.check();
        this.#connected = true;
      }
    },
    'returns a result that was late to the next caller': class extends ModelStore {
      readonly #asking = new Set<PromiseWithResolvers<AddResult>>();

      protected override enqueue(plant: NewPlant): Promise<AddResult> {
        const question = Promise.withResolvers<AddResult>();
        this.#asking.add(question);
        void this.database.sleep(TIMEOUT_MS).then(() => this.#asking.delete(question));
        super.enqueue(plant).then(
          (result) => this.#next()?.resolve(result),
          (error) => this.#next()?.reject(error),
        );
        return question.promise;
      }

      #next(): PromiseWithResolvers<AddResult> | undefined {
        const [next] = this.#asking;
        if (next) this.#asking.delete(next);
        return next;
      }
    },
    'queues adds that fail in an outage, and writes them afterwards over what was added since': class extends ModelStore {
      protected override async add(plant: NewPlant): Promise<AddResult> {
        if (!this.database.outage) return super.add(plant);
        this.#writeAfterOutage(this.snapshot(plant)).catch(() => {});
        throw new StoreUnavailable('the database is out of reach');
      }

      async #writeAfterOutage(plant: NewPlant): Promise<void> {
        await this.database.outage;
        await this.database.sleep(500);
        this.connection.overwrite(plant);
        await this.connection.flush();
      }
    },
  },
});
