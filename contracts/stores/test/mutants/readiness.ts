import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { StoreUnavailable } from '@plant-store/domain';
import type { StoreMutation } from '../../src/model/model-store.ts';

/** Break PR-14, PR-17 and PR-22 on check, and PR-15 on close. */
export const readiness: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  'PR-14': {
    'checks readiness by reading a plant, and so is never ready without plants': ({ check }, { database }) => ({
      async check() {
        await check();
        await database.roundTrip();
        if (database.rows.size === 0) throw new StoreUnavailable('no row returned');
      },
    }),
    'acquires one of ten connections for each check, and never releases it': ({ check }, store) => ({
      check: () => store.acquire().then(check),
    }),
  },
  // More than two: adds in flight, a second close, later adds and later checks.
  'PR-15': {
    'does not wait for adds in flight when it is closed': (_, store) => ({
      async close() {
        store.closed = true;
      },
    }),
    'throws if it is closed twice': ({ close }, store) => ({
      async close() {
        if (store.closed) throw new Error('called end on pool more than once');
        await close();
      },
    }),
    'connects again for an add after close': ({ assertOpen }) => ({
      assertOpen: (before) => before === 'add' || assertOpen(before),
    }),
    'is ready after close': ({ assertOpen }) => ({
      assertOpen: (before) => before === 'check' || assertOpen(before),
    }),
  },
  'PR-17': {
    'caches that it was ready': ({ assertOpen, check }) => {
      let first: Promise<void> | undefined;
      return {
        async check() {
          assertOpen('check');
          first ??= check();
          await first;
        },
      };
    },
    'never releases one of its ten connections for checks if the check failed': (correct, store) => ({
      async check() {
        await correct.withTimeout(store.acquire());
        await correct.check();
        store.acquired -= 1;
      },
    }),
  },
  'PR-22': {
    'checks readiness without a durable commit': ({ assertOpen, withTimeout }, { database }) => ({
      async check() {
        assertOpen('check');
        await withTimeout(database.roundTrip());
      },
    }),
    'is never ready again after a failed check': ({ check }) => {
      let checking: Promise<void> = Promise.resolve();
      return {
        check() {
          checking = checking.then(check);
          return checking;
        },
      };
    },
  },
});
