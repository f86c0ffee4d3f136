import { type NewPlant, optionalTextFields, type Plant } from '@plant-store/domain';
import type { StoreClass } from '../model/model-harness.ts';
import { ADDED, ModelStore, type Settled, settled } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-10: an acknowledged plant is there after the store is closed and opened again. */
export const reopening: readonly StoreMutant[] = [
  {
    does: 'deletes its log when it is closed, with everything in it',
    breaks: 'PR-10',
    alsoBreaks: { clauses: ['PR-18'], because: 'it is closed before it is opened again, whatever was killed' },
    Store: class extends ModelStore {
      override async close(): Promise<void> {
        await super.close();
        this.database.clear();
      }
    },
  },
  {
    does: 'starts empty whenever it is opened',
    breaks: 'PR-10',
    alsoBreaks: { clauses: ['PR-11', 'PR-18'], because: 'after a kill it is opened again, too' },
    Store: readingBack(() => []),
  },
  {
    does: 'reads ids back as JavaScript numbers',
    breaks: 'PR-10',
    Store: readingBack((rows) => rows.map(([id, plant]) => [BigInt(Number(id)), plant])),
  },
  {
    does: 'writes texts to the disk in Latin-1',
    breaks: 'PR-10',
    Store: readingBack((rows) =>
      rows.map(([id, plant]) => [id, { ...plant, name: Buffer.from(plant.name, 'latin1').toString('latin1') }]),
    ),
  },
  {
    does: 'cannot tell an absent text from an empty one on the disk',
    breaks: 'PR-10',
    Store: readingBack((rows) => rows.map(([id, plant]) => [id, { ...emptyTexts, ...plant }])),
  },
  {
    does: 'reads back the first hundred plants',
    breaks: 'PR-10',
    alsoBreaks: { clauses: ['PR-18'], because: 'more than a hundred are acknowledged before the server is killed' },
    Store: readingBack((rows) => rows.slice(0, 100)),
  },
  {
    does: 'returns `added` for adds in flight when it is closed, and does not store them',
    breaks: 'PR-10',
    Store: class extends ModelStore {
      protected override async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        return this.closed ? batch.map(() => settled(() => ADDED)) : super.write(batch);
      }
    },
  },
];

const emptyTexts = Object.fromEntries(optionalTextFields.map((field) => [field, '']));

/** A store that misreads its rows when it is opened. */
function readingBack(change: (rows: readonly [bigint, Plant][]) => readonly [bigint, Plant][]): StoreClass {
  return class extends ModelStore {
    override async open(): Promise<void> {
      await super.open();
      const rows = change([...this.database.rows]);
      this.database.rows.clear();
      for (const [id, plant] of rows) this.database.rows.set(id, plant);
    }
  };
}
