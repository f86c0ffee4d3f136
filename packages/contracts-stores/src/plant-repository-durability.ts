import { type Clause, ContractViolation, resolved, show, type Tools } from '@plant-store/contracts-kit';
import type { NewPlant, Plant, PlantStore } from '@plant-store/domain';
import { openBounded } from './bounded-store.ts';
import { answerTo, ask, expectExists } from './expectations.ts';
import { closeQuietly, inPreparedStore, inStoreOn, required } from './prepared-store.ts';
import { plainPlants, plantsWithHardIds, plantsWithHardTexts } from './sample-plants.ts';
import type { PreparedStore, StoreHarness } from './store-harness.ts';

/** What an answer means: PR-10 and PR-11. */
export const durabilityClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-10',
    title: 'what was answered is there after the store is closed and opened again',
    appliesTo: (subject) => subject.capabilities.durable,
    check: (subject, tools) =>
      inPreparedStore(subject, async (prepared) => {
        const store = await openBounded(subject, prepared, tools);
        const plants = [...plantsWithHardIds(), ...plantsWithHardTexts(), { id: 100n, name: 'no tag' }];
        const first = await Promise.allSettled(plants.map((plant) => store.plants.add(plant)));
        const answered: Answered[] = [];
        for (const plant of plants) answered.push(...(await askFor(store, plant)));
        // Before the close: a store may fail what is in flight then, which is for PR-15 to say.
        const inFlight = fulfilled(
          plainPlants(50, 1_000).map(async (plant) => {
            await answerTo(store, plant);
            return { given: plant, answered: plant };
          }),
        );
        await closeQuietly(store);
        answered.push(...(await inFlight));
        const did = 'closed the store and opened one again';
        if (answered.length === 0) throw nothingAnswered(did, first);
        await expectAnswered(subject, prepared, tools, did, answered);
      }),
  },
  {
    id: 'PR-11',
    title: 'what was answered is there after the process was killed',
    appliesTo: (subject) => subject.capabilities.survivesCrash,
    check: (subject, tools) =>
      inPreparedStore(subject, async (prepared) => {
        const addUntilKilled = required(prepared, 'addUntilKilled', 'survivesCrash');
        const killing = () => addUntilKilled(plainPlants(5_000));
        const plants = await resolved('called addUntilKilled()', killing, 'it resolves with what was answered');
        const did = `killed a process after ${plants.length} of its plants were answered, and opened a store again`;
        const answered = plants.map((plant) => ({ given: plant, answered: plant }));
        if (answered.length === 0) throw nothingAnswered(did);
        await expectAnswered(subject, prepared, tools, did, answered);
      }),
  },
];

/** What a store said about a plant that it was given. */
interface Answered {
  readonly given: NewPlant;
  readonly answered: Plant;
}

/** The answer need not be right: that is for other clauses to say. It has to be the same when it is asked for again. */
async function askFor(store: PlantStore, plant: NewPlant): Promise<Answered[]> {
  const did = `added ${show(plant)}`;
  const [result] = await fulfilled([ask(store, plant, did)]);
  return result?.outcome === 'exists' ? [{ given: plant, answered: result.plant }] : [];
}

async function expectAnswered(
  subject: StoreHarness,
  prepared: PreparedStore,
  tools: Tools,
  did: string,
  answered: readonly Answered[],
): Promise<void> {
  const expectAll = async (store: PlantStore) => {
    for (const { given, answered: before } of answered) {
      const after = `added ${show(given)}, ${did}`;
      expectExists(await ask(store, given, after), before, `${after}, then added another plant under its id`);
    }
  };
  await inStoreOn(subject, prepared, tools, expectAll, did);
}

/** Nothing was answered, so a clause that looks for what was answered would find nothing missing. */
function nothingAnswered(did: string, adds: readonly PromiseSettledResult<unknown>[] = []): ContractViolation {
  const failed = adds.find((add) => add.status === 'rejected');
  const why = failed ? `; the first add that failed threw ${show(failed.reason)}` : '';
  return new ContractViolation(did, `no plant had been answered${why}`, 'at least one is');
}

async function fulfilled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(promises);
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}
