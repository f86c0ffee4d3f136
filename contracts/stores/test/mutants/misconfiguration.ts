import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import type { Database } from '../model/database.ts';
import type { StoreMutation } from '../model/model-store.ts';

type Fault = Database['fault'];

/** Looks only in these steps whether the database has the fault. */
const lookingIn =
  (fault: Fault, ...steps: readonly ('open' | 'check' | 'add')[]): StoreMutation =>
  ({ assertFit, open, check, add }, { database }) => ({
    assertFit: () => database.fault === fault || assertFit(),
    async open() {
      if (steps.includes('open')) assertFit();
      await open();
    },
    async check() {
      if (steps.includes('check')) assertFit();
      await check();
    },
    async add(plant) {
      if (steps.includes('add')) assertFit();
      return add(plant);
    },
  });

/** Finds a fault once and for all. */
const forEver =
  (fault: Fault): StoreMutation =>
  ({ assertFit }, { database }) => {
    let isUnfit = false;
    return {
      assertFit() {
        isUnfit ||= database.fault === fault;
        if (isUnfit) throw new StoreMisconfigured(`the database ${fault}`);
        assertFit();
      },
    };
  };

/** Does this where it is opened on a database that does not exist. */
const opening =
  (instead: () => Promise<void>): StoreMutation =>
  ({ open }, { database }) => ({ open: () => (database.fault === 'does not exist' ? instead() : open()) });

/** Break PR-23 to PR-25, which are about places that are not fit for plants, and settings that cannot work. */
export const misconfiguration: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  // More than two: check, adds, what these throw and store, opening and recovering.
  'PR-23': {
    'looks at its database when it is opened alone': lookingIn('changes plants', 'open'),
    'is not ready where plants are changed, and acknowledges them': lookingIn('changes plants', 'open', 'check'),
    'opens where plants are changed': lookingIn('changes plants', 'check', 'add'),
    'blames the plant that would be changed': ({ add }, { database }) => ({
      add: (plant) =>
        add(plant).catch((error) => {
          throw database.fault === 'changes plants' ? new PlantRefused('value too long') : error;
        }),
    }),
    'finds out that plants are changed when it has stored them': (correct, store) => ({
      ...lookingIn('changes plants', 'open', 'check')(correct, store),
      async commit(batch) {
        const results = await correct.commit(batch);
        correct.assertFit();
        return results;
      },
    }),
    'never recovers once plants were changed': forEver('changes plants'),
  },
  // More than two: check, one plant, several and recovering.
  'PR-24': {
    'blames each plant where all are rejected': lookingIn('rejects plants', 'open', 'check'),
    'looks at its database for one plant alone, and blames each of several': (correct, store) => ({
      ...lookingIn('rejects plants', 'open', 'check')(correct, store),
      async write(batch) {
        if (batch.length === 1) correct.assertFit();
        return correct.write(batch);
      },
      reject: async (batch, reason) =>
        store.database.fault ? batch.map(() => ({ status: 'rejected', reason })) : correct.reject(batch, reason),
    }),
    'is ready where all plants are rejected': lookingIn('rejects plants', 'open', 'add'),
    'never recovers once all plants were rejected': forEver('rejects plants'),
  },
  // More than two: it opens, throws something else, or does neither.
  'PR-25': {
    'opens on a database that does not exist, and is never ready': lookingIn('does not exist', 'check', 'add'),
    'takes a database that does not exist for an outage': opening(async () => {
      throw new StoreUnavailable('the database is away');
    }),
    'connects again and again until the database exists': opening(() => new Promise(() => {})),
  },
});
