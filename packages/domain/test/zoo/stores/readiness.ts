import { type AddResult, type NewPlant, StoreUnavailable } from '../../../src/index.ts';
import type { StoreMember } from '../member.ts';
import { ANSWERS_WITHIN_MS, ModelStore } from '../model-store.ts';

/** Break PR-14: check resolves while the store can answer, and throws StoreUnavailable in time while it cannot. */
export const readiness: readonly StoreMember[] = [
  {
    does: 'is ready for as long as it is open',
    breaks: 'PR-14',
    Store: class extends ModelStore {
      override async check(): Promise<void> {
        this.assertOpen();
      }
    },
  },
  {
    does: 'is ready for a minute after it was',
    breaks: 'PR-14',
    Store: class extends ModelStore {
      #ready = false;

      override async check(): Promise<void> {
        this.assertOpen();
        if (this.#ready) return;
        await super.check();
        this.#ready = true;
        void this.database.sleep(60_000).then(() => {
          this.#ready = false;
        });
      }
    },
  },
  {
    does: 'is not ready for a minute after it was not',
    breaks: 'PR-14',
    Store: class extends ModelStore {
      #failure: unknown;

      override async check(): Promise<void> {
        if (this.#failure) throw this.#failure;
        try {
          await super.check();
        } catch (error) {
          this.#failure = error;
          void this.database.sleep(60_000).then(() => {
            this.#failure = undefined;
          });
          throw error;
        }
      }
    },
  },
  {
    does: 'checks the database for as long as it takes',
    breaks: 'PR-14',
    Store: class extends ModelStore {
      override async check(): Promise<void> {
        this.assertOpen();
        await this.connection.reach();
      }
    },
  },
  {
    does: 'is not ready only after twice the time that it may take',
    breaks: 'PR-14',
    Store: class extends ModelStore {
      override async check(): Promise<void> {
        try {
          await super.check();
        } catch (error) {
          if (this.database.outage) await this.database.sleep(ANSWERS_WITHIN_MS);
          throw error;
        }
      }
    },
  },
  {
    does: 'throws an error of its driver when it is not ready',
    breaks: 'PR-14',
    Store: class extends ModelStore {
      override async check(): Promise<void> {
        try {
          await super.check();
        } catch (error) {
          throw this.database.outage ? new Error('connect ECONNREFUSED') : error;
        }
      }
    },
  },
  {
    does: 'checks what has nothing to do with adding a plant, and fails',
    breaks: 'PR-14',
    Store: class extends ModelStore {
      override async check(): Promise<void> {
        this.assertOpen();
        throw new StoreUnavailable('permission denied for function pg_is_in_recovery');
      }
    },
  },
  {
    does: 'reads a plant to see whether it is ready, and is not while there is none',
    breaks: 'PR-14',
    Store: class extends ModelStore {
      override async check(): Promise<void> {
        await super.check();
        await this.connection.reach();
        if (this.database.rows.size === 0) throw new StoreUnavailable('no row came');
      }
    },
  },
  {
    does: 'is not ready while it is busy',
    breaks: 'PR-14',
    Store: class extends ModelStore {
      #adding = 0;

      protected override async add(plant: NewPlant): Promise<AddResult> {
        this.#adding += 1;
        try {
          return await super.add(plant);
        } finally {
          this.#adding -= 1;
        }
      }

      override async check(): Promise<void> {
        if (this.#adding > 0) throw new StoreUnavailable('no connection is free');
        await super.check();
      }
    },
  },
];
