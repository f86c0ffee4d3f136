import type { AddResult, NewPlant } from '@plant-store/domain';
import { ModelStore } from '../model/model-store.ts';

/** A correct store that knows how many adds are in flight, for mutants that behave otherwise then. */
export class CountingStore extends ModelStore {
  protected adding = 0;

  protected override async add(plant: NewPlant): Promise<AddResult> {
    this.adding += 1;
    try {
      return await super.add(plant);
    } finally {
      this.adding -= 1;
    }
  }
}
