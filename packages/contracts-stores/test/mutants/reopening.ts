import { mutantTable } from '@plant-store/contracts-kit';
import { type NewPlant, optionalTextFields, type Plant } from '@plant-store/domain';
import type { StoreClass } from '../model/model-harness.ts';
import { ADDED, ModelStore, type Settled, settled } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-10: an acknowledged plant is there after the store is closed and opened again. */
export const reopening: readonly StoreMutant[] = mutantTable({
  'PR-10': {
    'deletes its log when it is closed, with everything in it': class extends ModelStore {
      override async close(): Promise<void> {
        await super.close();
        this.database.clear();
      }
    },
    'cannot tell an absent text from an empty one on the disk': readingBack((rows) =>
      rows.map(([id, plant]) => [id, { ...emptyTexts, ...plant }]),
    ),
    'reads back the first hundred plants': readingBack((rows) => rows.slice(0, 100)),
    'returns `added` for adds in flight when it is closed, and does not store them': class extends ModelStore {
      protected override async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        return this.closed ? batch.map(() => settled(() => ADDED)) : super.write(batch);
      }
    },
  },
});

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
