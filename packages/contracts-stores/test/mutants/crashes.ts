import { mutantTable } from '@plant-store/contracts-kit';
import { type AddResult, type NewPlant, StoreUnavailable } from '@plant-store/domain';
import type { Database } from '../model/database.ts';
import { ModelStore, type Settled } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-11: an acknowledged plant is there after the process was killed. */
export const crashes: readonly StoreMutant[] = mutantTable({
  'PR-11': {
    'returns when the commit has begun': class extends ModelStore {
      protected override async makeDurable(): Promise<void> {
        this.connection.flush().catch(() => {});
      }
    },
    'returns `exists` for a plant that waits to be written': class extends ModelStore {
      readonly #waiting = new Map<bigint, NewPlant>();

      protected override async enqueue(plant: NewPlant): Promise<AddResult> {
        const waiting = this.#waiting.get(plant.id);
        if (waiting) return { outcome: 'exists', plant: this.returned(waiting, plant) };
        this.#waiting.set(plant.id, plant);
        try {
          return await super.enqueue(plant);
        } finally {
          this.#waiting.delete(plant.id);
        }
      }
    },
    'batches those who add the same plant at once, and returns `exists` to others while the batch is being written': class extends ModelStore {
      readonly #writing = new Map<bigint, NewPlant>();

      protected override async enqueue(plant: NewPlant): Promise<AddResult> {
        const writing = this.#writing.get(plant.id);
        return writing ? { outcome: 'exists', plant: this.returned(writing, plant) } : super.enqueue(plant);
      }

      protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        for (const plant of batch) this.#writing.set(plant.id, plant);
        try {
          return await super.commit(batch);
        } finally {
          for (const { id } of batch) this.#writing.delete(id);
        }
      }
    },
    'leaves a lock file behind, which keeps the next process out': class extends ModelStore {
      override async open(): Promise<void> {
        await super.open();
        const lockedBy = lockFiles.get(this.database) ?? this.database.crashes;
        if (lockedBy !== this.database.crashes) throw new StoreUnavailable('another process has the lock file');
        lockFiles.set(this.database, lockedBy);
      }

      override async close(): Promise<void> {
        await super.close();
        lockFiles.delete(this.database);
      }
    },
  },
});

/** Which process, counted by crashes, left a lock file. */
const lockFiles = new WeakMap<Database, number>();
