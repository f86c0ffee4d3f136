import { type AddResult, type NewPlant, type Plant, StoreOverloaded, StoreUnavailable } from '@plant-store/domain';
import type { StoreObserver } from '@plant-store/sql-store';
import type { StoreClass } from '../model/model-harness.ts';
import { ADDED, ModelStore, type Settled } from '../model/model-store.ts';
import { BatchingStore } from './batching-store.ts';
import { methodsOf } from './observers.ts';

/** Stores that pass every clause, each in a way that a clause which demands too much would fail. */
export const correctStores: readonly (readonly [does: string, Store: StoreClass])[] = [
  ['writes plants that arrive together in one statement', ModelStore],
  [
    'writes each plant in a transaction of its own',
    class extends ModelStore {
      protected override async enqueue(plant: NewPlant): Promise<AddResult> {
        await this.connection.reach();
        const inserted = this.connection.insert([plant]);
        const result = inserted.size > 0 ? ADDED : this.exists(plant);
        await this.connection.flush();
        return result;
      }
    },
  ],
  [
    'lets 500 adds wait, and rejects more',
    class extends ModelStore {
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
  ],
  [
    'batches adds, and checks which ids are free before it writes, one batch after the other',
    class extends BatchingStore {
      #last: Promise<unknown> = Promise.resolve();

      protected override commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        const turn = this.#last.then(() => super.commit(batch));
        this.#last = turn.catch(() => {});
        return turn;
      }
    },
  ],
  [
    'returns frozen plants',
    class extends ModelStore {
      protected override returned(stored: Plant): Plant {
        return Object.freeze({ ...stored });
      }
    },
  ],
  [
    'attempts nothing for two seconds after a failure',
    class extends ModelStore {
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
  ],
  [
    'finds out by a failing add that a connection did not outlive an outage, and drops it',
    class extends ModelStore {
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
  ],
  [
    'has a part whose circuit closes seconds after that of the part which the plant belongs to',
    class extends ModelStore {
      override observe(observer: StoreObserver): void {
        let failures = 0;
        let isOpen = false;
        const tell = (state: 'open' | 'closed') => {
          if (state === 'closed' || !isOpen) observer.circuit(state);
          isOpen = state === 'open';
        };
        super.observe({
          ...methodsOf(observer),
          circuit: (state) => {
            if (state === 'open') failures += 1;
            if (state === 'open' || !isOpen) return tell(state);
            const before = failures;
            void this.database.sleep(3_000).then(() => failures === before && tell('closed'));
          },
        });
      }
    },
  ],
  [
    'cannot be opened in an outage, and says so',
    class extends ModelStore {
      override async open(): Promise<void> {
        if (this.database.outage) throw new StoreUnavailable('connect ECONNREFUSED');
      }
    },
  ],
  [
    'finishes closing at the moment of the last result, just before it',
    class extends ModelStore {
      readonly #written = new Set<Promise<AddResult>>();

      protected override async enqueue(plant: NewPlant): Promise<AddResult> {
        const written = super.enqueue(plant);
        this.#written.add(written);
        const result = await written;
        for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
        return result;
      }

      override async close(): Promise<void> {
        this.closed = true;
        await Promise.allSettled(this.#written);
      }
    },
  ],
];
