import { type AddResult, isSamePlant, type NewPlant, type Plant } from '../../../src/index.ts';
import type { Database } from '../database.ts';
import type { StoreMember } from '../member.ts';
import { ADDED, ModelStore, type Settled } from '../model-store.ts';

const whoeverRaces = 'equal plants that race are answered in the same way';

/** Break PR-4: `added` is answered when, and only when, this very call stored the plant. */
export const added: readonly StoreMember[] = [
  {
    does: 'answers `added` where the same plant is there already',
    breaks: 'PR-4',
    alsoBreaks: { clauses: ['PR-6', 'PR-7'], because: whoeverRaces },
    Store: class extends ModelStore {
      protected override exists(asked: NewPlant): AddResult {
        const stored = this.connection.find(asked.id);
        return stored && isSamePlant(stored, asked) ? ADDED : super.exists(asked);
      }
    },
  },
  {
    does: 'throws where the same plant is there already',
    breaks: 'PR-4',
    alsoBreaks: { clauses: ['PR-6', 'PR-7'], because: whoeverRaces },
    Store: class extends ModelStore {
      protected override exists(asked: NewPlant): AddResult {
        const stored = this.connection.find(asked.id);
        if (stored && isSamePlant(stored, asked)) throw new Error(`plant ${asked.id} was created before`);
        return super.exists(asked);
      }
    },
  },
  {
    does: 'writes again when the answer to its first write is lost, and takes its own plants for older ones',
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
    does: 'has a unique index on the name',
    breaks: 'PR-4',
    Store: class extends ModelStore {
      protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        if (batch.some((plant) => hasTakenName(this.database, plant))) throw new Error('name is not unique');
        return super.commit(batch);
      }
    },
  },
  {
    does: 'inserts «on conflict do nothing», whatever the conflict, also one about the name',
    breaks: 'PR-4',
    Store: class extends ModelStore {
      protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        const ignored = batch.find((plant) => hasTakenName(this.database, plant));
        if (!ignored) return super.commit(batch);
        if (batch.length > 1) throw new Error('written one by one');
        return [
          { status: 'fulfilled', value: { outcome: 'exists', plant: this.connection.find(ignored.id) as Plant } },
        ];
      }
    },
  },
];

function hasTakenName(database: Database, { id, name }: NewPlant): boolean {
  return !database.rows.has(id) && [...database.rows.values()].some((row) => row.name === name);
}
