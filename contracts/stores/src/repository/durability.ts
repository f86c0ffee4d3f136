import { type Clause, ContractViolation, resolved, show, type Tools } from '@plant-store/contracts-kit';
import type { NewPlant, Plant, PlantStore } from '@plant-store/domain';
import { openBounded } from '../bounded-store.ts';
import { addPlant, expectExists, lookUp } from '../expectations.ts';
import { closeQuietly, inPreparedStore, inStoreOn, required } from '../prepared-store.ts';
import {
  plainPlants,
  plantsWithAbsentAndEmptyTexts,
  plantsWithHardIds,
  plantsWithHardTexts,
} from '../samples/plants.ts';
import type { PreparedStore, StoreHarness } from '../store-harness.ts';

/** What an acknowledgement means: PR-10 and PR-11. */
export const durabilityClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-10',
    title: 'an acknowledged plant is there after the store is closed and opened again',
    appliesTo: ({ capabilities }) => capabilities.durable,
    check: (harness, tools) =>
      inPreparedStore(harness, async (prepared) => {
        const store = await openBounded(harness, prepared, tools);
        const plants = [...plantsWithHardIds(), ...plantsWithHardTexts(), ...plantsWithAbsentAndEmptyTexts(100n)];
        const adds = await Promise.allSettled(plants.map((plant) => store.plants.add(plant)));
        const acknowledged: Acknowledged[] = [];
        for (const plant of plants) acknowledged.push(...(await lookUpAny(store, plant)));
        // Before the close: a store may fail what is in flight then, which is for PR-15 to check.
        const inFlight = fulfilled(
          plainPlants(50, 1_000).map(async (plant) => {
            await addPlant(store, plant);
            return { added: plant, found: plant };
          }),
        );
        await closeQuietly(store);
        acknowledged.push(...(await inFlight));
        const action = 'closed the store and opened one again';
        if (acknowledged.length === 0) throw nothingAcknowledged(action, adds);
        await expectFoundAgain(harness, prepared, tools, action, acknowledged);
      }),
  },
  {
    id: 'PR-11',
    title: 'an acknowledged plant is there after the process was killed',
    appliesTo: ({ capabilities }) => capabilities.survivesCrash,
    check: (harness, tools) =>
      inPreparedStore(harness, async (prepared) => {
        const addUntilKilled = required(prepared, 'addUntilKilled', 'survivesCrash');
        const killing = () => addUntilKilled(plainPlants(5_000));
        const plants = await resolved('called addUntilKilled()', killing, 'it resolves with the acknowledged plants');
        const action = `killed a process after ${plants.length} of its plants were acknowledged, and opened a store again`;
        const acknowledged = plants.map((plant) => ({ added: plant, found: plant }));
        if (acknowledged.length === 0) throw nothingAcknowledged(action);
        await expectFoundAgain(harness, prepared, tools, action, acknowledged);
      }),
  },
];

/** A plant that was added, and the plant that the store said it has under the id. */
interface Acknowledged {
  readonly added: NewPlant;
  readonly found: Plant;
}

/** What is found need not be right: that is for other clauses to check. It has to be the same when it is looked up again. */
async function lookUpAny(store: PlantStore, plant: NewPlant): Promise<Acknowledged[]> {
  const [result] = await fulfilled([lookUp(store, plant, `added ${show(plant)}`)]);
  return result?.outcome === 'exists' ? [{ added: plant, found: result.plant }] : [];
}

async function expectFoundAgain(
  harness: StoreHarness,
  prepared: PreparedStore,
  tools: Tools,
  action: string,
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const expectAll = async (store: PlantStore) => {
    for (const { added, found } of acknowledged) {
      const after = `added ${show(added)}, ${action}`;
      expectExists(await lookUp(store, added, after), found, `${after}, then added another plant under its id`);
    }
  };
  await inStoreOn(harness, prepared, tools, expectAll, action);
}

/** A clause that looks for acknowledged plants would miss nothing if there were none. */
function nothingAcknowledged(action: string, adds: readonly PromiseSettledResult<unknown>[] = []): ContractViolation {
  const failed = adds.find((add) => add.status === 'rejected');
  const why = failed ? `; the first add that failed threw ${show(failed.reason)}` : '';
  return new ContractViolation(action, `no plant had been acknowledged${why}`, 'at least one is');
}

async function fulfilled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(promises);
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}
