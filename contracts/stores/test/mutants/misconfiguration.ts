import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import type { Database } from '../model/database.ts';
import type { Step, StoreMutation } from '../model/model-store.ts';

type Fault = Database['fault'];

/** Looks only in these steps whether the database has the fault. */
const lookingIn =
  (fault: Fault, ...steps: readonly Step[]): StoreMutation =>
  ({ assertFit }, { database }) => ({
    assertFit: (step) => (database.fault === fault && !steps.includes(step)) || assertFit(step),
  });

/** Finds a fault once and for all. */
const forEver =
  (fault: Fault): StoreMutation =>
  ({ assertFit }, { database }) => {
    let isUnfit = false;
    return {
      assertFit(step) {
        isUnfit ||= database.fault === fault;
        if (isUnfit) throw new StoreMisconfigured(`the database ${fault}`);
        assertFit(step);
      },
    };
  };

/** Does this where it is opened on a database that does not exist. */
const opening =
  (instead: () => Promise<void>): StoreMutation =>
  ({ open }, { database }) => ({ open: () => (database.fault === 'does not exist' ? instead() : open()) });

/** Break PR-23 to PR-25, which are about places that are not fit for plants, and settings that cannot work. */
export const misconfiguration: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  // More than two: check, adds, what these store, opening and recovering.
  'PR-23': {
    'looks at its database when it is opened alone': lookingIn('changes plants', 'open'),
    'is not ready where plants are changed, and acknowledges them': lookingIn('changes plants', 'open', 'check'),
    'opens where plants are changed': lookingIn('changes plants', 'check', 'add'),
    'finds out that plants are changed when it has stored them': (correct, store) => ({
      ...lookingIn('changes plants', 'open', 'check')(correct, store),
      async commit(batch) {
        const outcomes = await correct.commit(batch);
        correct.assertFit('add');
        return outcomes;
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
        if (batch.length === 1) correct.assertFit('add');
        return correct.write(batch);
      },
      reject: async (batch, reason) => (store.database.fault ? batch.map(() => reason) : correct.reject(batch, reason)),
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
