import { type Clause, eventually, show, type Tools } from '@plant-store/contracts-kit';
import type { NewPlant, Plant, PlantStore } from '@plant-store/domain';
import { expectExists, expectStored, expectUnavailable, probeFor, unlessUnavailable } from './expectations.ts';
import { inOutage } from './outage.ts';
import { checksAtOnce } from './plant-repository-readiness.ts';
import { plainPlants } from './sample-plants.ts';
import type { StoreHarness } from './store-harness.ts';

/** What happens to adds when the outside fails: PR-12 and PR-13. */
export const outageClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-12',
    title: 'a store that cannot answer throws StoreUnavailable within its bound, and never hangs',
    appliesTo: (subject) => subject.capabilities.external,
    check: (subject, tools) =>
      inOutage(subject, tools, async ({ store, inFlight }) => {
        const late = plainPlants(20, 100).map((plant) => {
          const did = `added ${show(plant)} while the store cannot answer`;
          // Twice: nobody may be told that a plant exists while it only waits to be stored.
          const add = () => expectUnavailable(did, () => store.plants.add(plant));
          return Promise.all([add(), add()]);
        });
        const early = inFlight.map(({ plant, adding }) => {
          const did = `added ${show(plant)} just before the store could no longer answer`;
          return unlessUnavailable(did, () => adding);
        });
        await Promise.all([...early, ...late]);
      }),
  },
  {
    id: 'PR-13',
    title: 'once the store can answer again, adds succeed again by themselves',
    appliesTo: (subject) => subject.capabilities.external,
    check: (subject, tools) =>
      inOutage(subject, tools, async ({ store, endOutage }) => {
        const refused = plainPlants(20, 100);
        // Whoever asks for readiness goes on asking in an outage, which must not use up what adds need.
        const checks = checksAtOnce(store);
        await Promise.allSettled([...refused.map((plant) => store.plants.add(plant)), ...checks]);
        await endOutage();
        const holders = await addRivals(store, tools, refused);
        const plants = plainPlants(20, 200);
        await eventually(tools, 'added 20 plants at once after an outage, and asked for each', async () => {
          const adding = plants.map((plant) => store.plants.add(plant));
          await Promise.allSettled(adding);
          await Promise.all(adding);
          for (const plant of plants) {
            const did = `added ${show(plant)} after an outage, then ${show(probeFor(plant))}`;
            expectExists(await store.plants.add(probeFor(plant)), plant, did);
          }
        });
        await tools.sleep(SECOND_THOUGHTS_MS);
        for (const [{ id }, holder] of holders) {
          const did = `added plants under the ids of those that were refused in an outage, ${show({ ...holder, id })} was there, and asked again a little later`;
          await expectStored(store, { ...holder, id }, did);
        }
      }),
  },
];

/**
 * Adds other plants under ids whose adds were refused, and resolves with what has each id then: the rival, or the plant
 * that was refused and had been stored all the same.
 */
async function addRivals(store: PlantStore, tools: Tools, refused: readonly NewPlant[]): Promise<Map<NewPlant, Plant>> {
  const holders = new Map<NewPlant, Plant>();
  const rivals = refused.map((plant) => ({ ...plant, name: `${plant.name}, rival` }));
  await eventually(tools, 'added 20 other plants after an outage, under ids that were refused in it', async () => {
    const adding = rivals.map(async (rival) => {
      const answer = await store.plants.add(rival);
      // The first answer holds, also where another add threw and all are attempted again.
      if (!holders.has(rival)) holders.set(rival, answer.outcome === 'added' ? rival : answer.plant);
    });
    await Promise.allSettled(adding);
    await Promise.all(adding);
  });
  return holders;
}

/** Until what was queued in an outage is written, by stores that do such a thing. */
const SECOND_THOUGHTS_MS = 1_000;
