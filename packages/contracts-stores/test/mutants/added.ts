import { type AddResult, isSamePlant, type NewPlant, type Plant } from '@plant-store/domain';
import { ADDED, ModelStore, type Settled, settled } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

const equalRacers = 'equal plants that race get the same results';

/** Break PR-4: `added` is returned if, and only if, this very call stored the plant. */
export const added: readonly StoreMutant[] = [
  {
    does: 'returns `added` if the same plant is there already',
    breaks: 'PR-4',
    alsoBreaks: { clauses: ['PR-6', 'PR-7'], because: equalRacers },
    Store: class extends ModelStore {
      protected override exists(asked: NewPlant): AddResult {
        const stored = this.connection.find(asked.id);
        return stored && isSamePlant(stored, asked) ? ADDED : super.exists(asked);
      }
    },
  },
  {
    does: 'throws if the same plant is there already',
    breaks: 'PR-4',
    alsoBreaks: { clauses: ['PR-6', 'PR-7', 'PR-18'], because: equalRacers },
    Store: class extends ModelStore {
      protected override exists(asked: NewPlant): AddResult {
        const stored = this.connection.find(asked.id);
        if (stored && isSamePlant(stored, asked)) throw new Error(`plant ${asked.id} was created before`);
        return super.exists(asked);
      }
    },
  },
  {
    does: 'retries when the response to its first write is lost, and takes its own plants for older ones',
    breaks: 'PR-4',
    alsoBreaks: { clauses: ['PR-6'], because: 'the first race is the first write' },
    Store: class extends ModelStore {
      #first = true;

      protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        if (this.#first) await super.commit(batch);
        this.#first = false;
        return super.commit(batch);
      }
    },
  },
  {
    does: 'writes all adds that wait in one statement, which fails beyond 300 of them: too many SQL variables',
    breaks: 'PR-4',
    Store: class extends ModelStore {
      protected override async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        if (batch.length <= 300) return super.write(batch);
        const reason = new Error('too many SQL variables');
        return batch.map(() => ({ status: 'rejected', reason }));
      }
    },
  },
  {
    does: 'stores the first thousand of the waiting adds, and acknowledges the others as well',
    breaks: 'PR-4',
    Store: class extends ModelStore {
      protected override async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        const results = await super.write(batch.slice(0, 1_000));
        return batch.map((_, at) => results[at] ?? settled(() => ADDED));
      }
    },
  },
  onTakenName('has a unique index on the name', () => {
    throw new Error('duplicate key value violates unique constraint plants_name_key');
  }),
  onTakenName('ignores whatever conflict there is, also one about a name that has to be unique', () => {
    return { outcome: 'exists', plant: undefined as unknown as Plant };
  }),
  onTakenName('takes a plant with a known name for the known one sent again, whatever its id', () => ADDED),
];

/** A store that does not insert a plant with a new id whose name is taken. */
function onTakenName(does: string, result: () => AddResult): StoreMutant {
  const Store = class extends ModelStore {
    protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
      const inserted = batch.filter((plant) => !this.hasTakenName(plant));
      const results = await super.commit(inserted);
      return batch.map((plant) => results[inserted.indexOf(plant)] ?? settled(result));
    }

    hasTakenName({ id, name }: NewPlant): boolean {
      return !this.connection.find(id) && [...this.database.rows.values()].some((row) => row.name === name);
    }
  };
  return { does, breaks: 'PR-4', Store };
}
