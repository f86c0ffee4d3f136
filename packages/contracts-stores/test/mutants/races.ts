import type { AddResult, NewPlant } from '@plant-store/domain';
import type { StoreClass } from '../model/model-harness.ts';
import { ADDED, ModelStore, type Settled, settled } from '../model/model-store.ts';
import { BatchingStore } from './batching-store.ts';
import type { StoreMutant } from './mutant.ts';

const acrossStores = { clauses: ['PR-7'], because: 'what a store does to itself it does to another one too' };

const evenAfterOutages = {
  clauses: ['PR-7', 'PR-13'],
  because:
    'adds that failed in an outage may still wait, and race with later ones; and the mistake also shows between two stores',
};

const inPairs = {
  clauses: ['PR-7', 'PR-18'],
  because:
    'two callers at once add each plant while the server is killed, and what a store does to itself it does to another one too',
};

/** Break PR-6: of the plants that race for one id exactly one is stored, and every other caller gets that one. */
export const races: readonly StoreMutant[] = [
  {
    does: 'checks whether the id is free, then inserts',
    breaks: 'PR-6',
    alsoBreaks: acrossStores,
    Store: class extends ModelStore {
      protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        await this.connection.reach();
        const free = new Set(batch.filter(({ id }) => !this.connection.find(id)));
        await this.connection.reach();
        for (const plant of free) this.connection.overwrite(plant);
        await this.connection.flush();
        return batch.map((plant) => settled(() => (free.has(plant) ? ADDED : this.exists(plant))));
      }
    },
  },
  {
    does: 'checks whether the id is free, then inserts, and throws if the index rejects it',
    breaks: 'PR-6',
    alsoBreaks: inPairs,
    Store: class extends ModelStore {
      protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        await this.connection.reach();
        const free = new Set(batch.filter(({ id }) => !this.connection.find(id)));
        await this.connection.reach();
        const inserted = this.connection.insert(batch.filter((plant) => free.has(plant)));
        await this.connection.flush();
        return batch.map((plant) =>
          settled(() => {
            if (inserted.has(plant)) return ADDED;
            if (free.has(plant)) throw new Error(`duplicate key value violates unique constraint: id ${plant.id}`);
            return this.exists(plant);
          }),
        );
      }
    },
  },
  {
    does: 'infers from the returned ids which plants of a batch it stored',
    breaks: 'PR-6',
    alsoBreaks: evenAfterOutages,
    Store: withResultForLosers(() => ADDED),
  },
  {
    does: 'returns its own plant to a caller that lost within a batch',
    breaks: 'PR-6',
    alsoBreaks: evenAfterOutages,
    Store: withResultForLosers(({ id: _, ...plant }) => ({ outcome: 'exists', plant })),
  },
  {
    does: 'looks up the plant that won within a batch in a snapshot from before the batch',
    breaks: 'PR-6',
    alsoBreaks: inPairs,
    Store: withResultForLosers(({ id }) => {
      throw new Error(`no row has the id ${id}`);
    }),
  },
  {
    does: 'fails if an id is twice in a batch: ON CONFLICT DO UPDATE cannot affect a row a second time',
    breaks: 'PR-6',
    alsoBreaks: {
      clauses: ['PR-7', 'PR-11', 'PR-18'],
      because: 'two callers add each plant at once before a kill, and adds of one store race, too',
    },
    Store: class extends ModelStore {
      protected override async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        await this.connection.reach();
        if (new Set(batch.map(({ id }) => id)).size === batch.length) return super.write(batch);
        const reason = new Error('ON CONFLICT DO UPDATE command cannot affect row a second time');
        return batch.map(() => ({ status: 'rejected', reason }));
      }
    },
  },
  {
    does: 'batches adds, and checks which ids are free before it writes, several batches at once',
    breaks: 'PR-6',
    Store: BatchingStore,
  },
  {
    does: 'holds a batch in a Map by id, so that only the last call for an id ever settles',
    breaks: 'PR-6',
    alsoBreaks: acrossStores,
    Store: class extends ModelStore {
      protected override async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        const last = new Map(batch.map((plant) => [plant.id, plant]));
        const plants = [...last.values()];
        const results = await super.write(plants);
        return batch.map((plant) => results[plants.indexOf(plant)] as Settled);
      }
    },
  },
];

/** A store with its own result for a plant whose id went to another one of the same batch. */
function withResultForLosers(result: (plant: NewPlant) => AddResult): StoreClass {
  return class extends ModelStore {
    protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
      await this.connection.reach();
      const inserted = this.connection.insert(batch);
      const ids = new Set([...inserted].map(({ id }) => id));
      await this.connection.flush();
      return batch.map((plant) =>
        settled(() => {
          if (inserted.has(plant)) return ADDED;
          return ids.has(plant.id) ? result(plant) : this.exists(plant);
        }),
      );
    }
  };
}
