import { mutantTable } from '@plant-store/contracts-kit';
import type { AddResult, NewPlant } from '@plant-store/domain';
import { ADDED, ModelStore, type Settled, settled } from '../model/model-store.ts';
import { LookingFirstStore } from './looking-first-store.ts';
import type { StoreMutant } from './mutant.ts';
import { Pool } from './pool.ts';

/** Break PR-6, but not while two race. */
export const crowdedRaces: readonly StoreMutant[] = mutantTable({
  'PR-6': {
    'checks whether the id is free while it waits for one of its ten connections': class extends ModelStore {
      readonly #pool = new Pool(10);
      #adding = 0;

      protected override async enqueue(plant: NewPlant): Promise<AddResult> {
        this.#adding += 1;
        const isFree = this.#adding <= 10 ? undefined : !this.connection.find(plant.id);
        await this.#pool.take();
        try {
          await this.connection.reach();
          const isAdded = isFree ?? !this.connection.find(plant.id);
          if (isAdded) this.connection.overwrite(plant);
          const result = isAdded ? ADDED : this.exists(plant);
          await this.connection.flush();
          return result;
        } finally {
          this.#pool.release();
          this.#adding -= 1;
        }
      }
    },
    'writes up to a hundred adds in one statement, and several statements at once without a conflict clause': class extends ModelStore {
      protected override async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        if (batch.length <= 100) return super.write(batch);
        const statements = [batch.slice(0, 100), batch.slice(100)];
        return (await Promise.all(statements.map((statement) => this.#insert(statement)))).flat();
      }

      async #insert(plants: readonly NewPlant[]): Promise<readonly Settled[]> {
        await this.connection.reach();
        const winners = new Map<bigint, NewPlant>();
        for (const plant of plants)
          if (!this.connection.find(plant.id) && !winners.has(plant.id)) winners.set(plant.id, plant);
        await this.connection.reach();
        for (const winner of winners.values()) this.connection.overwrite(winner);
        await this.connection.flush();
        return plants.map((plant) => settled(() => (winners.get(plant.id) === plant ? ADDED : this.exists(plant))));
      }
    },
  },
});

/** Break PR-7, but not while two race. */
export const crowdedSharing: readonly StoreMutant[] = mutantTable({
  'PR-7': {
    'uses a lock of its own process if an id is in a batch more than once': class extends LookingFirstStore {
      protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        const rivals = Map.groupBy(batch, ({ id }) => id);
        const isAlone = ({ id }: NewPlant) => rivals.get(id)?.length === 1;
        const alone = await super.commit(batch.filter(isAlone));
        const others = await this.lookFirst(batch.filter((plant) => !isAlone(plant)));
        const [fromAlone, fromOthers] = [alone.values(), others.values()];
        return batch.map((plant) => (isAlone(plant) ? fromAlone : fromOthers).next().value as Settled);
      }
    },
    'uses a lock of its own process if a batch is too long for one statement': class extends LookingFirstStore {
      protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        return batch.length > 50 ? this.lookFirst(batch) : super.commit(batch);
      }
    },
  },
});
