import { type AddResult, type NewPlant, type Plant, StoreOverloaded, StoreUnavailable } from '@plant-store/domain';
import type { StoreClass } from '../model/model-harness.ts';
import { ADDED, ModelStore } from '../model/model-store.ts';
import { GatheringStore } from './gathering-store.ts';

/** Stores that keep every clause, each in a way that a clause which asks too much would take for a broken one. */
export const correctStores: readonly { readonly does: string; readonly Store: StoreClass }[] = [
  { does: 'writes plants that arrive together in one statement', Store: ModelStore },
  {
    does: 'writes each plant in a transaction of its own',
    Store: class extends ModelStore {
      protected override async enqueue(plant: NewPlant): Promise<AddResult> {
        await this.connection.reach();
        const inserted = this.connection.insert([plant]);
        const answer = inserted.size > 0 ? ADDED : this.exists(plant);
        await this.connection.flush();
        return answer;
      }
    },
  },
  {
    does: 'lets 500 adds wait, and refuses those beyond',
    Store: class extends ModelStore {
      #waiting = 0;

      protected override async enqueue(plant: NewPlant): Promise<AddResult> {
        if (this.#waiting === 500) throw new StoreOverloaded('500 adds are waiting already');
        this.#waiting += 1;
        try {
          return await super.enqueue(plant);
        } finally {
          this.#waiting -= 1;
        }
      }
    },
  },
  {
    does: 'gathers adds, and looks which ids are free before it writes, one batch after the other',
    Store: class extends GatheringStore {
      #last: Promise<unknown> = Promise.resolve();

      protected override lookAndWrite(plants: readonly NewPlant[]): Promise<readonly AddResult[]> {
        const turn = this.#last.then(() => super.lookAndWrite(plants));
        this.#last = turn.catch(() => {});
        return turn;
      }
    },
  },
  {
    does: 'hands out frozen plants',
    Store: class extends ModelStore {
      protected override handOut(stored: Plant): Plant {
        return Object.freeze({ ...stored });
      }
    },
  },
  {
    does: 'attempts nothing for two seconds after a failure',
    Store: class extends ModelStore {
      #pause: Promise<void> | undefined;

      protected override async add(plant: NewPlant): Promise<AddResult> {
        if (this.#pause && !this.closed) throw new StoreUnavailable('the circuit is open');
        try {
          return await super.add(plant);
        } catch (error) {
          if (this.database.outage) {
            this.#pause ??= this.database.sleep(2_000).then(() => {
              this.#pause = undefined;
            });
          }
          throw error;
        }
      }
    },
  },
  {
    does: 'finds out by a failing add that a connection did not outlive an outage, and drops it',
    Store: class extends ModelStore {
      #hasDeadConnection = false;

      protected override async add(plant: NewPlant): Promise<AddResult> {
        if (this.database.outage) this.#hasDeadConnection = true;
        else if (this.#hasDeadConnection && !this.closed) {
          this.#hasDeadConnection = false;
          throw new StoreUnavailable('Connection terminated unexpectedly');
        }
        return super.add(plant);
      }
    },
  },
  {
    does: 'ends to close in the moment of the last answer, a little ahead of it',
    Store: class extends ModelStore {
      readonly #written = new Set<Promise<AddResult>>();

      protected override async enqueue(plant: NewPlant): Promise<AddResult> {
        const written = super.enqueue(plant);
        this.#written.add(written);
        const answer = await written;
        for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
        return answer;
      }

      override async close(): Promise<void> {
        this.closed = true;
        await Promise.allSettled(this.#written);
      }
    },
  },
];
