import { mutantTable } from '@plant-store/contracts-kit';
import type { AddResult, NewPlant } from '@plant-store/domain';
import type { StoreClass } from '../model/model-harness.ts';
import { ModelStore, type Settled } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-1: an id is stored exactly. */
export const ids: readonly StoreMutant[] = mutantTable({
  'PR-1': {
    'wraps the id to an int32': withId((id) => BigInt.asIntN(32, id)),
    'loses the sign of the id': withId((id) => (id < 0n ? -id : id)),
    'negates the digits of a negative id, so that the smallest one overflows': withId((id) => {
      if (id === -(2n ** 63n)) throw new RangeError('9223372036854775808 is out of range for type bigint');
      return id;
    }),
    'stores 15 significant digits of the id': withId((id) => BigInt(Number(Number(id).toPrecision(15)))),
    'cuts the id to the 18 characters of its column': withId((id) => BigInt(String(id).slice(0, 18))),
    'takes the id 0 for none, and makes one up': class extends ModelStore {
      #next = 1_000_000_000n;

      protected override snapshot(plant: NewPlant): NewPlant {
        this.#next += 1n;
        return super.snapshot({ ...plant, id: plant.id === 0n ? this.#next : plant.id });
      }
    },
    'looks the plant of a taken id up by a JavaScript number': class extends ModelStore {
      protected override exists(asked: NewPlant): AddResult {
        return super.exists({ ...asked, id: BigInt(Number(asked.id)) });
      }
    },
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
    'sends plants that are written together in JSON with ids as numbers': class extends ModelStore {
      protected override async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
        if (batch.length === 1) return super.commit(batch);
        return super.commit(batch.map((plant) => ({ ...plant, id: BigInt(Number(plant.id)) })));
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
