import { type Clause, show } from '@plant-store/contracts-kit';
import { type NewPlant, type PlantStore, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { addNew, expectThrows, probeFor } from '../expectations.ts';
import { closeQuietly, type Fixture, withFixture } from '../fixture.ts';
import type { Database } from '../model/database.ts';
import type { Operation, StoreMutation } from '../model/model-store.ts';
import { plainPlant, plainPlants } from '../samples.ts';
import type { EndFault, StoreHarness } from '../store-harness.ts';
import { expectDiscreetBatch } from './lifecycle.ts';
import { expectReadyAgain, expectUnready, failing } from './outages.ts';

/** Databases that are unfit for plants: PR-23. The harness has the list of faults. */
export const fitnessClauses: readonly Clause<StoreHarness, StoreMutation>[] = [
  {
    id: 'PR-23',
    shows: 'P1 P5 P7',
    title:
      'with a fault of the list no store opens and check throws while plants arrive; after that adds throw until a check passes, and store nothing; errors are as in PR-20',
    appliesTo: ({ capabilities }) => capabilities.durable,
    check: (harness, tools) =>
      withFixture(async (fixture) => {
        const [first = '', ...others] = Object.keys(fixture.require('faults'));
        // All at once, each in a database of its own, because most of the time passes in waiting.
        const elsewhere = others.map((fault) => withFixture((other) => checkFault(fault, other))(harness, tools));
        const checks = [checkFault(first, fixture), ...elsewhere];
        await Promise.allSettled(checks);
        await Promise.all(checks);
      })(harness, tools),
    mutants: {
      'looks for lost commits, but opens': lookingFor('loses commits', 'check', 'add'),
      'looks for lost commits, but is ready': lookingFor('loses commits', 'open', 'add'),
      'adds on after a check that found lost commits': lookingFor('loses commits', 'open', 'check'),
      'opens if all plants are refused': lookingFor('refuses plants', 'check', 'add'),
      'is ready if all plants are refused': lookingFor('refuses plants', 'open', 'add'),
      'throws PlantRefused if all plants are refused': lookingFor('refuses plants', 'open', 'check'),
      'looks for faults before it adds one plant, and not before several': (correct, store) => ({
        ...lookingFor('refuses plants', 'open', 'check')(correct, store),
        async write(batch) {
          if (batch.length === 1) correct.assertFit('add');
          return correct.write(batch);
        },
        retryAlone: async (batch, reason) =>
          store.database.fault ? batch.map(() => reason) : correct.retryAlone(batch, reason),
      }),
      'looks for faults after it has stored the plants': (correct, store) => ({
        ...lookingFor('loses commits', 'open', 'check')(correct, store),
        async commit(batch) {
          const outcomes = await correct.commit(batch);
          correct.assertFit('add');
          return outcomes;
        },
      }),
      'adds again a second after a failed check': ({ assertFit }, { database }) => {
        let isUnfit = false;
        return {
          assertFit(before) {
            if (before === 'add' && !isUnfit) return;
            isUnfit = database.fault !== undefined;
            void database.sleep(1_000).then(() => (isUnfit = false));
            assertFit(before);
          },
        };
      },
      'never adds again after a failed check': staying('add'),
      'is never ready again after a failed check': staying('check'),
      'throws StoreUnavailable if it is opened with a fault': openingUnfit(async () => {
        throw new StoreUnavailable('connect ECONNREFUSED');
      }),
      'throws an error whose stack shows the plant if commits would be lost': failing(
        ({ name }) => Object.assign(new StoreUnavailable('unfit'), { stack: `at add (${name})` }),
        ({ fault }) => fault === 'loses commits',
      ),
      'waits for the end of a fault when it is opened': openingUnfit(() => new Promise(() => {})),
    },
  },
];

/** How long to wait for a store that adds again by itself. */
const LATER_MS = 2_000;

async function checkFault(fault: string, fixture: Fixture): Promise<void> {
  await fixture.withStore(async (store) => {
    // Stores write several plants by another code path than one, and may look for faults in one only.
    const batches = [plainPlants(1, 101), plainPlants(5, 102)];
    await addNew(store, plainPlant(100));
    const planted = `planted the fault «${fault}»`;
    const plant = fixture.require('faults')[fault] as () => Promise<EndFault>;
    await fixture.duringFault(planted, plant, async () => {
      await expectDiscreetBatch(store, `with the fault «${fault}»`);
      await expectUnfit(store, batches, fixture, planted);
    });
    await expectReadyAgain(store, fixture.tools, `removed the fault «${fault}»`);
    for (const one of batches.flat()) await addNew(store, probeFor(one));
  });
}

async function expectUnfit(
  store: PlantStore,
  batches: readonly (readonly NewPlant[])[],
  fixture: Fixture,
  action: string,
): Promise<void> {
  const open = () => fixture.inTime(action, fixture.prepared.open().then(closeQuietly), 'it throws StoreMisconfigured');
  await expectThrows(`${action}, and opened another store`, open, StoreMisconfigured);
  await expectUnready(store, fixture, `${action}, and called check()`);
  const expectNoneAdded = async (when: string) => {
    for (const plants of batches)
      await Promise.all(
        plants.map((one) =>
          expectThrows(`${action}, called check(), ${when} ${show(one)}`, () => store.plants.add(one)),
        ),
      );
  };
  await expectNoneAdded('and added');
  await fixture.tools.sleep(LATER_MS);
  await expectNoneAdded(`and ${LATER_MS} ms later added`);
}

/** Looks for this fault before these operations only. */
function lookingFor(fault: Database['fault'], ...operations: readonly Operation[]): StoreMutation {
  return ({ assertFit }, { database }) => ({
    assertFit: (before) => (database.fault === fault && !operations.includes(before)) || assertFit(before),
  });
}

/** Never recovers from a fault in this operation. */
function staying(operation: Operation): StoreMutation {
  return ({ assertFit }, { database }) => {
    let wasUnfit = false;
    return {
      assertFit(before) {
        wasUnfit ||= database.fault !== undefined;
        if (wasUnfit && before === operation) throw new StoreMisconfigured('the database was unfit');
        assertFit(before);
      },
    };
  };
}

/** Opens a database with a fault like this. */
function openingUnfit(open: () => Promise<void>): StoreMutation {
  return (correct, { database }) => ({ open: () => (database.fault ? open() : correct.open()) });
}
