import type { NewPlant } from '@plant-store/domain';
import { ADDED, ModelStore, type Settled, settled } from '../model/model-store.ts';

/** Can check whether an id is free, and then insert: correct as long as no other store does so. */
export class LookingFirstStore extends ModelStore {
  /** One plant after the other, which is a lock of its own process. */
  protected async lookFirst(plants: readonly NewPlant[]): Promise<readonly Settled[]> {
    const results: Settled[] = [];
    for (const plant of plants) {
      await this.connection.reach();
      const taken = this.connection.find(plant.id);
      await this.connection.reach();
      results.push(
        settled(() => {
          if (taken) return this.exists(plant);
          this.connection.overwrite(plant);
          return ADDED;
        }),
      );
    }
    await this.connection.flush();
    return results;
  }
}
