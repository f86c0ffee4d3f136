import { type NewPlant, StoreUnavailable } from '@plant-store/domain';
import type { Database } from '../model/database.ts';
import { ModelStore, type Settled } from '../model/model-store.ts';

/** Locks the rows of a batch one by one and holds them to its end, as one long INSERT does. */
export class DeadlockingStore extends ModelStore {
  protected override async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
    const { owners, waiting } = locksOf(this.database);
    try {
      for (const { id } of batch) {
        await this.connection.reach();
        for (let owner = owners.get(id); owner && owner !== this; owner = owners.get(id)) {
          if (waiting.get(owner) === this) throw new StoreUnavailable('deadlock detected');
          waiting.set(this, owner);
          await this.connection.reach();
        }
        waiting.delete(this);
        owners.set(id, this);
      }
      return await super.write(batch);
    } catch (reason) {
      return batch.map(() => ({ status: 'rejected', reason }));
    } finally {
      waiting.delete(this);
      for (const { id } of batch) if (owners.get(id) === this) owners.delete(id);
    }
  }
}

interface Locks {
  readonly owners: Map<bigint, ModelStore>;
  readonly waiting: Map<ModelStore, ModelStore>;
}

const locks = new WeakMap<Database, Locks>();

function locksOf(database: Database): Locks {
  const known = locks.get(database);
  if (known) return known;
  const none: Locks = { owners: new Map(), waiting: new Map() };
  locks.set(database, none);
  return none;
}
