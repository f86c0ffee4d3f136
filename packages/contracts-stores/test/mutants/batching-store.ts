import type { AddResult, NewPlant } from '@plant-store/domain';
import type { Database } from '../model/database.ts';
import { ADDED, ModelStore, type Settled, settled } from '../model/model-store.ts';

/**
 * Group commit as adapters do it, with up to four batches at once; looks which ids are free before it writes. A lock keeps
 * other stores out meanwhile, and lets its owner in again, as locks of fcntl(2) do; it ends with its owner's process.
 */
export class BatchingStore extends ModelStore {
  readonly #queue: { readonly plant: NewPlant; readonly settle: (result: Promise<AddResult>) => void }[] = [];
  #isScheduled = false;
  #writes = 0;
  /** Batches that it holds the lock for. */
  #locked = 0;

  protected override enqueue(plant: NewPlant): Promise<AddResult> {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      void this.database.sleep(0).then(() => this.#writeWaiting());
    }
    return new Promise((settle) => this.#queue.push({ plant, settle }));
  }

  #writeWaiting(): void {
    this.#isScheduled = false;
    while (this.#queue.length > 0 && this.#writes < MAX_WRITES) {
      this.#writes += 1;
      const batch = this.#queue.splice(0, MAX_BATCH);
      void this.write(batch.map(({ plant }) => plant)).then((results) => {
        for (const [at, { settle }] of batch.entries()) settle(unsettled(results[at] as Settled));
        this.#writes -= 1;
        this.#writeWaiting();
      });
    }
  }

  protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
    await this.#lock();
    try {
      const firsts = new Map(batch.toReversed().map((plant) => [plant.id, plant]));
      const free = new Set([...firsts.values()].filter(({ id }) => !this.connection.find(id)));
      await this.connection.reach();
      this.connection.insert([...free]);
      await this.connection.flush();
      return batch.map((plant) => settled(() => (free.has(plant) ? ADDED : this.exists(plant))));
    } finally {
      this.#locked -= 1;
      if (this.#locked === 0) owners.delete(this.database);
    }
  }

  async #lock(): Promise<void> {
    do await this.connection.reach();
    while (this.#isLockedOut());
    owners.set(this.database, { store: this, crashes: this.database.crashes });
    this.#locked += 1;
  }

  #isLockedOut(): boolean {
    const owner = owners.get(this.database);
    return owner !== undefined && owner.store !== this && owner.crashes === this.database.crashes;
  }
}

const MAX_WRITES = 4;
const MAX_BATCH = 500;

const owners = new WeakMap<Database, { readonly store: ModelStore; readonly crashes: number }>();

async function unsettled(result: Settled): Promise<AddResult> {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}
