import { type Clause, eventually, show, type Tools, within } from '@plant-store/contracts-kit';
import type { NewPlant, Plant, PlantStore } from '@plant-store/domain';
import { boundedStore, OPEN_OR_CLOSE_MS, SLACK_MS } from '../bounded-store.ts';
import { expectExists, expectStored, expectUnavailable, probeFor, unlessUnavailable } from '../expectations.ts';
import { closeQuietly } from '../prepared-store.ts';
import { plainPlant, plainPlants } from '../samples/plants.ts';
import type { StoreHarness } from '../store-harness.ts';
import { inOutage } from './outage.ts';
import { checksAtOnce } from './readiness.ts';

/** What adds do in an outage, and opening: PR-12, PR-13 and PR-19. */
export const outageClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-12',
    title: 'a store that cannot answer throws StoreUnavailable within its time-out, and never hangs',
    appliesTo: ({ capabilities }) => capabilities.external,
    check: (harness, tools) =>
      inOutage(harness, tools, async ({ store, inFlight }) => {
        const late = plainPlants(20, 100).map((plant) => {
          const action = `added ${show(plant)} while the store cannot answer`;
          // Twice: no caller may be told that a plant exists while it only waits to be stored.
          const add = () => expectUnavailable(action, () => store.plants.add(plant));
          return Promise.all([add(), add()]);
        });
        const early = inFlight.map(({ plant, adding }) => {
          const action = `added ${show(plant)} just before the store could no longer answer`;
          return unlessUnavailable(action, () => adding);
        });
        await Promise.all([...early, ...late]);
      }),
  },
  {
    id: 'PR-13',
    title: 'once the store can answer again, adds succeed again by themselves',
    appliesTo: ({ capabilities }) => capabilities.external,
    check: (harness, tools) =>
      inOutage(harness, tools, async ({ store, endOutage }) => {
        const failed = plainPlants(20, 100);
        // Readiness is probed during an outage, too, which must not use up what adds need.
        const checks = checksAtOnce(store);
        await Promise.allSettled([...failed.map((plant) => store.plants.add(plant)), ...checks]);
        await endOutage();
        const holders = await addRivals(store, tools, failed);
        const plants = plainPlants(20, 200);
        await eventually(tools, 'added 20 plants at once after an outage, and looked each up', async () => {
          const adding = plants.map((plant) => store.plants.add(plant));
          await Promise.allSettled(adding);
          await Promise.all(adding);
          for (const plant of plants) {
            const action = `added ${show(plant)} after an outage, then ${show(probeFor(plant))}`;
            expectExists(await store.plants.add(probeFor(plant)), plant, action);
          }
        });
        await tools.sleep(LATE_WRITES_MS);
        for (const [{ id }, holder] of holders) {
          const action = `added plants under the ids of those that failed in an outage, ${show({ ...holder, id })} was there, and looked them up again a little later`;
          await expectStored(store, { ...holder, id }, action);
        }
      }),
  },
  {
    id: 'PR-19',
    title: 'opening in an outage resolves or throws StoreUnavailable within the time-out, and what it opened recovers',
    appliesTo: ({ capabilities }) => capabilities.external,
    check: (harness, tools) =>
      inOutage(harness, tools, async ({ prepared, endOutage }) => {
        const { timeoutMs } = harness.capabilities;
        const action = 'opened a store while it cannot answer';
        const open = async () => {
          // Longer than the clause allows it in an outage: what is late only for that still has to be closed.
          const opened = within(timeoutMs + OPEN_OR_CLOSE_MS, tools, action, prepared.open(), 'it opens');
          return boundedStore(harness, await opened, tools);
        };
        const opening = open();
        try {
          const expected = `it resolves, or throws StoreUnavailable, within ${timeoutMs} ms`;
          const inTime = within(timeoutMs + SLACK_MS, tools, action, opening, expected);
          await unlessUnavailable(action, () => inTime);
          await endOutage();
          await eventually(tools, `${action}, ended the outage, and added a plant`, async () => {
            const store = await opening.catch(open);
            try {
              await store.plants.add(plainPlant(3));
            } finally {
              // Opened anew each time: one that threw had nothing to recover.
              if (store !== (await opening.catch(() => undefined))) await closeQuietly(store);
            }
          });
        } finally {
          await endOutage();
          await opening.then(closeQuietly, () => {});
        }
      }),
  },
];

/**
 * Adds other plants under the ids of adds that failed, and resolves with what has each id then: the rival, or the plant
 * whose add failed and which had been stored all the same.
 */
async function addRivals(store: PlantStore, tools: Tools, failed: readonly NewPlant[]): Promise<Map<NewPlant, Plant>> {
  const holders = new Map<NewPlant, Plant>();
  const rivals = failed.map((plant) => ({ ...plant, name: `${plant.name}, rival` }));
  await eventually(tools, 'added 20 other plants after an outage, under ids whose adds failed in it', async () => {
    const adding = rivals.map(async (rival) => {
      const result = await store.plants.add(rival);
      // The first result counts, even if another add threw and all are attempted again.
      if (!holders.has(rival)) holders.set(rival, result.outcome === 'added' ? rival : result.plant);
    });
    await Promise.allSettled(adding);
    await Promise.all(adding);
  });
  return holders;
}

/** Long enough for a store that queues adds in an outage to write them after it. */
const LATE_WRITES_MS = 1_000;
