import type { NewPlant } from '../plant.ts';
import type { AddResult, PlantStore } from '../plant-repository.ts';
import { type Clause, show, type Tools } from './contract.ts';
import { eventually } from './eventually.ts';
import { expectExists, expectUnavailable, probeFor, put, resolved, unlessUnavailable } from './expectations.ts';
import { inOpenStore, required } from './prepared-store.ts';
import { plainPlant, plainPlants } from './sample-plants.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** What happens when the outside fails, and how it is told: PR-12 to PR-14, and PR-17. */
export const outageClauses: readonly Clause<StoreUnderTest>[] = [
  {
    id: 'PR-12',
    title: 'a store that cannot answer throws StoreUnavailable within its bound, and never hangs',
    promisedBy: (subject) => subject.promises.external,
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
    promisedBy: (subject) => subject.promises.external,
    check: (subject, tools) =>
      inOutage(subject, tools, async ({ store, endOutage }) => {
        await Promise.allSettled(plainPlants(20, 100).map((plant) => store.plants.add(plant)));
        await endOutage();
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
      }),
  },
  {
    id: 'PR-14',
    title: 'check resolves while the store can answer',
    check: (subject, tools) =>
      inOpenStore(subject, tools, async (store) => {
        await expectReady(store, 'called check() on an open store');
        const adding = Promise.allSettled(plainPlants(50).map((plant) => store.plants.add(plant)));
        await expectReady(store, 'called check() while 50 adds were in flight');
        await adding;
      }),
  },
  {
    id: 'PR-17',
    title: 'check throws StoreUnavailable within its bound while the store cannot answer, and resolves once it can',
    promisedBy: (subject) => subject.promises.external,
    check: (subject, tools) =>
      inOutage(subject, tools, async ({ store, endOutage }) => {
        await expectUnavailable('called check() while the store cannot answer', () => store.check());
        await endOutage();
        // That adds succeed again is for PR-13 to say; where they do not, there is nothing for check to agree with.
        const adding = eventually(tools, 'added a plant after an outage', () => store.plants.add(plainPlant(2)));
        const canAnswer = await adding.then(
          () => true,
          () => false,
        );
        const did = 'called check() after an outage, when adds succeeded again';
        if (canAnswer) await eventually(tools, did, () => store.check());
      }),
  },
];

interface Outage {
  /** Open since before the outage, and warm. */
  readonly store: PlantStore;
  /** Adds that were on their way when it began. */
  readonly inFlight: readonly { readonly plant: NewPlant; readonly adding: Promise<AddResult> }[];
  readonly endOutage: () => Promise<void>;
}

/** Begins an outage in the middle of the work, and ends it whatever happens. */
async function inOutage(subject: StoreUnderTest, tools: Tools, use: (outage: Outage) => Promise<void>): Promise<void> {
  await inOpenStore(subject, tools, async (store, prepared) => {
    const startOutage = required(prepared, 'startOutage', 'external');
    await put(store, plainPlant(1));
    await store.check().catch(() => {});
    const inFlight = plainPlants(20, 10).map((plant) => ({ plant, adding: store.plants.add(plant) }));
    const settled = Promise.allSettled(inFlight.map(({ adding }) => adding));
    const end = await startOutage();
    let ended: Promise<void> | undefined;
    const endOutage = () => (ended ??= end());
    try {
      await use({ store, inFlight, endOutage });
    } finally {
      await endOutage();
      await settled;
    }
  });
}

async function expectReady(store: PlantStore, did: string): Promise<void> {
  await resolved(did, () => store.check(), 'it resolves: the store can answer');
}
