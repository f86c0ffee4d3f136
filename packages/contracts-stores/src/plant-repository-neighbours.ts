import { type Clause, ContractViolation, NotChecked, resolved, show } from '@plant-store/contracts-kit';
import { type NewPlant, type PlantStore, StoreUnavailable } from '@plant-store/domain';
import { answerTo, expectExists, expectStored, put } from './expectations.ts';
import { inOpenStore, inPreparedStore, inStoreOn } from './prepared-store.ts';
import { plainPlant, plainPlants } from './sample-plants.ts';
import type { StoreHarness } from './store-harness.ts';

/** What an add does to those beside it: PR-9 and PR-16. */
export const neighbourClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-9',
    title: 'an add whose id is taken leaves the adds beside it alone',
    check: (subject, tools) => inOpenStore(subject, tools, (store) => leavesNeighboursAlone(store)),
  },
  {
    id: 'PR-16',
    title: 'a plant that the store refuses is refused with another error than StoreUnavailable, and alone',
    check: (subject, tools) =>
      inPreparedStore(subject, async (prepared) => {
        const refusedPlant = prepared.refusedPlant?.bind(prepared);
        if (!refusedPlant)
          throw new NotChecked(
            'no plant is known that the store would refuse: supply refusedPlant() in what prepare() resolves with, unless the store refuses nothing',
          );
        const promised = 'it resolves with a plant that the place will refuse; no store is open on it yet';
        const refused = await resolved('called refusedPlant()', refusedPlant, promised);
        await inStoreOn(subject, prepared, tools, (store) => leavesNeighboursAlone(store, refused));
      }),
  },
];

async function leavesNeighboursAlone(store: PlantStore, refused?: NewPlant): Promise<void> {
  const taken = plainPlant(1);
  await put(store, taken);
  // Often enough to use up any usual pool, if each time costs a connection.
  for (let round = 1; round <= 30; round += 1) {
    const fresh = plainPlants(6, 10 * round);
    const did = `round ${round}: added six plants at once, and in their midst ${refused ? `${show(refused)}, which the store is set up to refuse, and ` : ''}another plant under the taken id ${taken.id}`;
    const ownAnswer = (plant: NewPlant) => put(store, plant, `${did}; looked at ${show(plant)}, which is neither`);
    await Promise.all([
      ...fresh.slice(0, 3).map(ownAnswer),
      refused && expectRefused(store, refused, did),
      expectTaken(store, taken, did),
      ...fresh.slice(3).map(ownAnswer),
    ]);
    for (const plant of fresh) await expectStored(store, plant, `${did}; ${show(plant)} was answered`);
  }
}

async function expectTaken(store: PlantStore, taken: NewPlant, did: string): Promise<void> {
  const didThat = `${did}; looked at that last one`;
  expectExists(await answerTo(store, { ...taken, name: 'a rival' }, didThat), taken, didThat);
}

async function expectRefused(store: PlantStore, refused: NewPlant, did: string): Promise<void> {
  const didThat = `${did}; looked at the refused one`;
  let came: unknown;
  try {
    came = await store.plants.add(refused);
  } catch (error) {
    if (error instanceof ContractViolation) throw new ContractViolation(didThat, error.actual, error.expected);
    if (!(error instanceof StoreUnavailable)) return;
    const promised = 'it throws another error: this one says «send it again», which would never succeed';
    throw new ContractViolation(didThat, `threw ${show(error)}`, promised);
  }
  throw new ContractViolation(didThat, `resolved with ${show(came)}`, 'it throws');
}
