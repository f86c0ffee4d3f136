import type { AddResult, NewPlant } from '@plant-store/domain';
import { groupCommitStore, unobserved } from '@plant-store/group-commit';
import type { Database } from '../model/database.ts';
import { ADDED, ModelStore } from '../model/model-store.ts';

/**
 * Gathers adds as adapters do, and looks which ids are free before it writes, up to four batches at once. A lock keeps
 * other stores out meanwhile, and lets its owner in again, as locks of fcntl(2) do.
 */
export class GatheringStore extends ModelStore {
  /** Those that it holds the lock for. */
  #batches = 0;
  readonly #store = groupCommitStore(
    {
      insertBatch: (plants) => this.lookAndWrite(plants),
      probe: () => this.connection.reach(),
      close: async () => {},
    },
    { maxWrites: 4 },
    unobserved,
    // By this clock nothing takes any time, so that nothing is refused for its sake: the model has a bound of its own.
    {
      now: () => 0,
      after: (ms, callback) => void this.database.sleep(ms).then(callback),
      sleep: (ms) => this.database.sleep(ms),
      defer: (callback) => void this.database.sleep(0).then(callback),
    },
  );

  protected override enqueue(plant: NewPlant): Promise<AddResult> {
    return this.#store.plants.add(plant);
  }

  protected async lookAndWrite(plants: readonly NewPlant[]): Promise<readonly AddResult[]> {
    await this.#lock();
    try {
      const free = new Set(plants.filter(({ id }) => !this.connection.find(id)));
      await this.connection.reach();
      this.connection.insert([...free]);
      await this.connection.flush();
      return plants.map((plant) => (free.has(plant) ? ADDED : this.exists(plant)));
    } finally {
      this.#batches -= 1;
      if (this.#batches === 0) owners.delete(this.database);
    }
  }

  async #lock(): Promise<void> {
    do await this.connection.reach();
    while ((owners.get(this.database) ?? this) !== this);
    owners.set(this.database, this);
    this.#batches += 1;
  }
}

const owners = new WeakMap<Database, ModelStore>();
