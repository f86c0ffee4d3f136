import { type NewPlant, StoreUnavailable } from '@plant-store/domain';
import { ADDED, ModelStore, type Settled, settled } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

const anyError = { clauses: ['PR-18'], because: 'it takes a lost connection for a refusal, too' };

/** Break PR-16: a plant that the store refuses is refused with another error than StoreUnavailable, and alone. */
export const refusals: readonly StoreMutant[] = [
  {
    does: 'fails the whole batch where one plant of it is refused',
    breaks: 'PR-16',
    Store: class extends ModelStore {
      protected override async refuse(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        return batch.map(() => ({ status: 'rejected', reason }));
      }
    },
  },
  {
    does: 'answers `added` for the neighbours of a refused plant, and rolls them back with it',
    breaks: 'PR-16',
    alsoBreaks: anyError,
    Store: class extends ModelStore {
      protected override async refuse(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        return batch.map((plant) =>
          settled(() => {
            if (this.database.refused.has(plant.id)) throw reason;
            return this.connection.find(plant.id) ? this.exists(plant) : ADDED;
          }),
        );
      }
    },
  },
  {
    does: 'writes a batch without its refused plant, and gives the answers in the wrong order',
    breaks: 'PR-16',
    Store: class extends ModelStore {
      protected override async refuse(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        const answers = await this.commit(batch.filter(({ id }) => !this.database.refused.has(id)));
        return [...answers, { status: 'rejected', reason }];
      }
    },
  },
  {
    does: 'writes the plants of such a batch one by one, and answers those behind a taken id as it answered that one',
    breaks: 'PR-16',
    Store: class extends ModelStore {
      protected override async refuse(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        const answers = await super.refuse(batch, reason);
        const taken = answers.findIndex((answer) => answer.status === 'fulfilled' && answer.value.outcome === 'exists');
        return answers.map((answer, at) => (taken >= 0 && at > taken ? (answers[taken] ?? answer) : answer));
      }
    },
  },
  {
    does: 'throws at the plants that come after a refused one in its batch',
    breaks: 'PR-16',
    Store: class extends ModelStore {
      protected override async refuse(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        const refused = batch.findIndex(({ id }) => this.database.refused.has(id));
        const answers = await this.commit(batch.slice(0, refused));
        return batch.map((_, at) => answers[at] ?? { status: 'rejected', reason });
      }
    },
  },
  {
    does: 'answers `added` where the store refuses the plant',
    breaks: 'PR-16',
    alsoBreaks: anyError,
    Store: class extends ModelStore {
      protected override async refuse(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        return batch.length === 1 ? [settled(() => ADDED)] : super.refuse(batch, reason);
      }
    },
  },
  {
    does: 'takes any error for a taken id, and its own plant for the one that has it',
    breaks: 'PR-16',
    alsoBreaks: anyError,
    Store: class extends ModelStore {
      protected override async refuse(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        const [{ id, ...plant }, ...others] = batch as [NewPlant, ...NewPlant[]];
        return others.length > 0 ? super.refuse(batch, reason) : [settled(() => ({ outcome: 'exists', plant }))];
      }
    },
  },
  {
    does: 'writes a batch again and again for as long as a plant of it is refused',
    breaks: 'PR-16',
    Store: class extends ModelStore {
      protected override async refuse(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        await this.database.sleep(10);
        return this.write(batch);
      }
    },
  },
  {
    does: 'does not roll back after a refused plant: current transaction is aborted, commands are ignored',
    breaks: 'PR-16',
    Store: class extends ModelStore {
      #aborted: unknown;

      protected override async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        if (!this.#aborted) return super.write(batch);
        return batch.map(() => ({ status: 'rejected', reason: this.#aborted }));
      }

      protected override async refuse(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        const answers = await super.refuse(batch, reason);
        this.#aborted = new Error('current transaction is aborted');
        return answers;
      }
    },
  },
  {
    does: 'takes a connection for every refused plant, out of ten, and never gives it back',
    breaks: 'PR-16',
    Store: class extends ModelStore {
      #free = 10;

      protected override async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        if (this.#free <= 0) await new Promise(() => {});
        return super.write(batch);
      }

      protected override async refuse(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
        if (batch.length === 1) this.#free -= 1;
        return super.refuse(batch, reason);
      }
    },
  },
  {
    does: 'says that it is unavailable where it refuses a plant',
    breaks: 'PR-16',
    Store: class extends ModelStore {
      protected override async refuse(batch: readonly NewPlant[], cause: unknown): Promise<readonly Settled[]> {
        return super.refuse(batch, new StoreUnavailable('the database threw an error', { cause }));
      }
    },
  },
];
