import type { NewPlant } from '@plant-store/domain';
import { ModelStore, type Settled, TIMEOUT_MS } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Has ten connections, and never gives one back with which a check failed. */
class LosingOneForEachFailedCheck extends ModelStore {
  protected free = 10;

  override async check(): Promise<void> {
    if (this.free <= 0) await this.withTimeout(new Promise(() => {}));
    try {
      await super.check();
    } catch (error) {
      this.free -= 1;
      throw error;
    }
  }
}

/** Break PR-22: check throws StoreUnavailable while no commit is durable, and resolves once one is. */
export const unreadyCommits: readonly StoreMutant[] = [
  {
    does: 'inserts nothing to see whether it is ready, and commits that',
    breaks: 'PR-22',
    Store: class extends ModelStore {
      override async check(): Promise<void> {
        this.assertOpen();
        await this.withTimeout(this.connection.reach());
      }
    },
  },
  {
    does: 'is never ready again once a commit of its check has failed',
    breaks: 'PR-22',
    Store: class extends ModelStore {
      #failure: unknown;

      override async check(): Promise<void> {
        if (this.#failure) throw this.#failure;
        try {
          await super.check();
        } catch (error) {
          if (this.database.isFull) this.#failure = error;
          throw error;
        }
      }
    },
  },
];

/** Break PR-17: check throws StoreUnavailable in time while the store cannot answer, and resolves once it can. */
export const unreadiness: readonly StoreMutant[] = [
  {
    does: 'is ready for as long as it is open',
    breaks: 'PR-17',
    alsoBreaks: { clauses: ['PR-22'], because: 'it is ready whatever fails' },
    Store: class extends ModelStore {
      override async check(): Promise<void> {
        this.assertOpen();
      }
    },
  },
  {
    does: 'is ready for a minute after it was',
    breaks: 'PR-17',
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
    breaks: 'PR-17',
    alsoBreaks: { clauses: ['PR-22'], because: 'it is so whatever had failed' },
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
    breaks: 'PR-17',
    Store: class extends ModelStore {
      override async check(): Promise<void> {
        this.assertOpen();
        await this.connection.flush();
      }
    },
  },
  {
    does: 'is not ready only after twice the time that it may take',
    breaks: 'PR-17',
    Store: class extends ModelStore {
      override async check(): Promise<void> {
        try {
          await super.check();
        } catch (error) {
          if (this.database.outage) await this.database.sleep(TIMEOUT_MS);
          throw error;
        }
      }
    },
  },
  {
    does: 'never gives a connection back, out of ten, with which a check failed',
    breaks: 'PR-17',
    alsoBreaks: { clauses: ['PR-13'], because: 'adds wait for the same connections' },
    Store: class extends LosingOneForEachFailedCheck {
      protected override async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        if (this.free <= 0) await new Promise(() => {});
        return super.write(batch);
      }
    },
  },
  {
    does: 'has ten connections for checks alone, and never gives one back with which a check failed',
    breaks: 'PR-17',
    Store: LosingOneForEachFailedCheck,
  },
  {
    does: 'throws an error of its driver when it is not ready',
    breaks: 'PR-17',
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
];
