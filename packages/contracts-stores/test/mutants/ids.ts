import { mutantTable } from '@plant-store/contracts-kit';
import type { AddResult, NewPlant } from '@plant-store/domain';
import type { StoreClass } from '../model/model-harness.ts';
import { ModelStore, type Settled } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-1: an id is stored exactly. */
export const ids: readonly StoreMutant[] = mutantTable({
  'PR-1': {
    'negates the digits of a negative id, so that the smallest one overflows': withId((id) => {
      if (id === -(2n ** 63n)) throw new RangeError('9223372036854775808 is out of range for type bigint');
      return id;
    }),
    'stores 15 significant digits of the id': withId((id) => BigInt(Number(Number(id).toPrecision(15)))),
    'looks the plants of taken ids up together, in JSON with ids as numbers': class extends ModelStore {
      #together = false;

      protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        this.#together = batch.length > 1;
        return super.commit(batch);
      }

      protected override exists(asked: NewPlant): AddResult {
        return super.exists(this.#together ? { ...asked, id: BigInt(Number(asked.id)) } : asked);
      }
    },
  },
});

function withId(change: (id: bigint) => bigint): StoreClass {
  return class extends ModelStore {
    protected override snapshot(plant: NewPlant): NewPlant {
      return super.snapshot({ ...plant, id: change(plant.id) });
    }
  };
}
