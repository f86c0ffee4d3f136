import { mutantTable } from '@plant-store/contracts-kit';
import { ModelStore, TIMEOUT_MS } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-22: check throws StoreUnavailable while no commit is durable, and resolves once one is. */
export const unreadyCommits: readonly StoreMutant[] = mutantTable({
  'PR-22': {
    'inserts nothing to see whether it is ready, and commits that': class extends ModelStore {
      override async check(): Promise<void> {
        this.assertOpen();
        await this.withTimeout(this.connection.reach());
      }
    },
    'is never ready again once a commit of its check has failed': class extends ModelStore {
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
});

/** Break PR-17: check throws StoreUnavailable in time while the store cannot answer, and resolves once it can. */
export const unreadiness: readonly StoreMutant[] = mutantTable({
  'PR-17': {
    'is ready for a minute after it was': class extends ModelStore {
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
    'is not ready only after twice the time that it may take': class extends ModelStore {
      override async check(): Promise<void> {
        try {
          await super.check();
        } catch (error) {
          if (this.database.outage) await this.database.sleep(TIMEOUT_MS);
          throw error;
        }
      }
    },
    'has ten connections for checks alone, and never gives one back with which a check failed': class extends ModelStore {
      #free = 10;

      override async check(): Promise<void> {
        if (this.#free <= 0) await this.withTimeout(new Promise(() => {}));
        try {
          await super.check();
        } catch (error) {
          this.#free -= 1;
          throw error;
        }
      }
    },
  },
});
