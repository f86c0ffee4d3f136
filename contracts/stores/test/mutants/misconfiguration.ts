import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import type { Database } from '../../src/model/database.ts';
import type { Operation, StoreMutation } from '../../src/model/model-store.ts';

type Fault = Database['fault'];

/** Checks for the fault before these operations only. */
const checkingOnly =
  (fault: Fault, ...operations: readonly Operation[]): StoreMutation =>
  ({ assertSuitable }, { database }) => ({
    assertSuitable: (before) => (database.fault === fault && !operations.includes(before)) || assertSuitable(before),
  });

/** Notices changed plants in `check` alone, and adds none until a later check succeeds. */
export const noticingInCheck: StoreMutation = ({ assertSuitable }, { database }) => {
  let isSuitable = true;
  return {
    assertSuitable(before) {
      if (before === 'add' && isSuitable && database.fault === 'changes plants') return;
      isSuitable = before === 'add' && isSuitable;
      assertSuitable(before);
      isSuitable = true;
    },
  };
};

/** Never recovers from the fault in this operation. */
const staying =
  (fault: Fault, operation: Operation): StoreMutation =>
  ({ assertSuitable }, { database }) => {
    let isUnsuitable = false;
    return {
      assertSuitable(before) {
        isUnsuitable ||= database.fault === fault;
        if (isUnsuitable && before === operation) throw new StoreMisconfigured(`the database ${fault}`);
        assertSuitable(before);
      },
    };
  };

/** Opens a database that does not exist like this. */
const openingMissing =
  (open: () => Promise<void>): StoreMutation =>
  (correct, { database }) => ({ open: () => (database.fault === 'does not exist' ? open() : correct.open()) });

/** Break PR-23 to PR-25 on unsuitable databases and settings that cannot work. */
export const misconfiguration: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  // More than two: check, adds, stored plants, opening and recovery.
  'PR-23': {
    'notices changed plants only when check is called': noticingInCheck,
    'checks its database only when it is opened': checkingOnly('changes plants', 'open'),
    'is not ready if plants are changed, but acknowledges them': checkingOnly('changes plants', 'open', 'check'),
    'opens if plants are changed': checkingOnly('changes plants', 'check', 'add'),
    'checks whether plants are changed after it has stored them': (correct, store) => ({
      ...checkingOnly('changes plants', 'open', 'check')(correct, store),
      async commit(batch) {
        const outcomes = await correct.commit(batch);
        correct.assertSuitable('add');
        return outcomes;
      },
    }),
    'never adds again once plants were changed': staying('changes plants', 'add'),
  },
  // More than two: check, one plant, several plants and recovery.
  'PR-24': {
    'throws PlantRefused if all plants are refused': checkingOnly('refuses plants', 'open', 'check'),
    'checks its database for a single plant, and throws PlantRefused for several': (correct, store) => ({
      ...checkingOnly('refuses plants', 'open', 'check')(correct, store),
      async write(batch) {
        if (batch.length === 1) correct.assertSuitable('add');
        return correct.write(batch);
      },
      retryAlone: async (batch, reason) =>
        store.database.fault ? batch.map(() => reason) : correct.retryAlone(batch, reason),
    }),
    'is ready if all plants are refused': checkingOnly('refuses plants', 'open', 'add'),
    'is never ready again once all plants were refused': staying('refuses plants', 'check'),
  },
  // More than two: it opens, throws another error, or hangs.
  'PR-25': {
    'opens on a database that does not exist, and is never ready': checkingOnly('does not exist', 'check', 'add'),
    'throws StoreUnavailable if the database does not exist': openingMissing(async () => {
      throw new StoreUnavailable('connect ECONNREFUSED');
    }),
    'retries until the database exists': openingMissing(() => new Promise(() => {})),
  },
});
