import {
  type Clause,
  ContractViolation,
  eventually,
  NotChecked,
  resolved,
  show,
  type Tools,
  unlessUnavailable as unless,
  within,
} from '@plant-store/contracts-kit';
import { type NewPlant, type PlantStore, StoreMisconfigured } from '@plant-store/domain';
import { SLACK_MS } from '../bounded-store.ts';
import { addNew, expectUnavailable, probeFor } from '../expectations.ts';
import { closeQuietly, inOpenStore, inPreparedStore } from '../prepared-store.ts';
import { plainPlant, plainPlants } from '../samples/plants.ts';
import type { PreparedStore, StoreHarness } from '../store-harness.ts';

const appliesTo = ({ capabilities }: StoreHarness) => capabilities.durable;

/** What a store does with a place that is not fit for plants: PR-23 to PR-25. */
export const misconfigurationClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-23',
    title: 'where plants would be lost or changed, check throws, nothing more is acknowledged, and no store opens',
    appliesTo,
    check: (harness, tools) =>
      whileUnfit('spoil', harness, tools, async (store, plants, prepared) => {
        await expectUnavailable('called spoil() and check()', () => store.check());
        await expectNoneAdded(store, plants, 'called spoil() and check()');
        const open = () => prepared.open();
        await expectMisconfigured('called spoil() and opened another store', open, harness, tools);
      }),
  },
  {
    id: 'PR-24',
    title: 'where every plant would be refused, adds and check throw StoreUnavailable, and no plant is blamed',
    appliesTo,
    check: (harness, tools) =>
      whileUnfit('refuseAll', harness, tools, async (store, plants) => {
        await expectNoneAdded(store, plants, 'called refuseAll()');
        await expectUnavailable('called refuseAll() and check()', () => store.check());
      }),
  },
  {
    id: 'PR-25',
    title: 'opening with a setting that waiting does not fix throws StoreMisconfigured within the time-out',
    appliesTo,
    check: (harness, tools) =>
      inPreparedStore(harness, async (prepared) => {
        const open = supplied(prepared, 'openMisconfigured');
        await expectMisconfigured('called openMisconfigured()', open, harness, tools);
      }),
  },
];

/**
 * Makes the place of an open store unfit, fixes it, and expects the store to have recovered and to have stored none of the plants.
 * Twice: stores write one plant by another code path than several, and may look at the place in one of them.
 */
async function whileUnfit(
  name: 'spoil' | 'refuseAll',
  harness: StoreHarness,
  tools: Tools,
  use: (store: PlantStore, plants: readonly NewPlant[], prepared: PreparedStore) => Promise<void>,
): Promise<void> {
  await inOpenStore(harness, tools, async (store, prepared) => {
    const makeUnfit = supplied(prepared, name);
    await addNew(store, plainPlant(1));
    for (const plants of [plainPlants(1, 10), plainPlants(5, 20)]) {
      const fix = await resolved(`called ${name}()`, makeUnfit, 'it resolves once the place is so');
      await use(store, plants, prepared).finally(fix);
      const fixed = `called ${name}(), and the function that it had resolved with`;
      await eventually(tools, `${fixed}, and added a plant`, () => store.plants.add(plainPlant(2)));
      await eventually(tools, `${fixed}, and check()`, () => store.check());
      for (const plant of plants.map(probeFor)) await addNew(store, plant);
    }
  });
}

async function expectNoneAdded(store: PlantStore, plants: readonly NewPlant[], action: string): Promise<void> {
  const add = (plant: NewPlant) =>
    expectUnavailable(`${action}, and added ${show(plant)}`, () => store.plants.add(plant));
  await Promise.all(plants.map(add));
}

async function expectMisconfigured(
  action: string,
  open: () => Promise<PlantStore>,
  { capabilities: { timeoutMs } }: StoreHarness,
  tools: Tools,
): Promise<void> {
  const opening = open();
  void opening.then(closeQuietly, () => {});
  const expected = `it throws StoreMisconfigured within ${timeoutMs} ms`;
  const inTime = () => within(timeoutMs + SLACK_MS, tools, action, opening, expected);
  if (await unless(action, inTime, StoreMisconfigured)) throw new ContractViolation(action, 'it opened', expected);
}

function supplied<Name extends 'spoil' | 'refuseAll' | 'openMisconfigured'>(prepared: PreparedStore, name: Name) {
  const call = prepared[name]?.bind(prepared);
  if (call) return call as NonNullable<PreparedStore[Name]>;
  throw new NotChecked(`the harness has no means for it: supply ${name}() in what prepare() resolves with`);
}
