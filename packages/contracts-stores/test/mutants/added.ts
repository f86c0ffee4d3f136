import { mutantTable } from '@plant-store/contracts-kit';
import { type AddResult, isSamePlant, type NewPlant } from '@plant-store/domain';
import type { StoreClass } from '../model/model-harness.ts';
import { ADDED, ModelStore, type Settled, settled } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-4: `added` is returned if, and only if, this very call stored the plant. */
export const added: readonly StoreMutant[] = mutantTable({
  'PR-4': {
    'returns `added` if the same plant is there already': class extends ModelStore {
      protected override exists(asked: NewPlant): AddResult {
        const stored = this.connection.find(asked.id);
        return stored && isSamePlant(stored, asked) ? ADDED : super.exists(asked);
      }
    },
    'retries when the response to its first write is lost, and takes its own plants for older ones': class extends ModelStore {
      #first = true;

      protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        if (this.#first) await super.commit(batch);
        this.#first = false;
        return super.commit(batch);
      }
    },
    'stores the first thousand of the waiting adds, and acknowledges the others as well': class extends ModelStore {
      protected override async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        const results = await super.write(batch.slice(0, 1_000));
        return batch.map((_, at) => results[at] ?? settled(() => ADDED));
      }
    },
    'has a unique index on the name': onTakenName(() => {
      throw new Error('duplicate key value violates unique constraint plants_name_key');
    }),
  },
});

/** A store that does not insert a plant with a new id whose name is taken. */
function onTakenName(result: () => AddResult): StoreClass {
  return class extends ModelStore {
    protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
      const inserted = batch.filter((plant) => !this.hasTakenName(plant));
      const results = await super.commit(inserted);
      return batch.map((plant) => results[inserted.indexOf(plant)] ?? settled(result));
    }

    hasTakenName({ id, name }: NewPlant): boolean {
      return !this.connection.find(id) && [...this.database.rows.values()].some((row) => row.name === name);
    }
  };
}
