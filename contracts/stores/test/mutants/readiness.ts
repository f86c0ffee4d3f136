import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { StoreUnavailable } from '@plant-store/domain';
import type { StoreMutation } from '../model/model-store.ts';

/** Break PR-14, PR-17 and PR-22, which are about check, and PR-15, which is about close. */
export const readiness: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  'PR-14': {
    'reads a plant to see whether it is ready, and is not while there is none': ({ check }, { database }) => ({
      async check() {
        await check();
        await database.reach();
        if (database.rows.size === 0) throw new StoreUnavailable('no row returned');
      },
    }),
    'takes a connection for every check, out of ten, and never gives it back': ({ check }, store) => ({
      check: () => store.take().then(check),
    }),
  },
  // More than two: what close waits for, a second one, adds and checks after it.
  'PR-15': {
    'does not wait for what is in flight when it is closed': (_, store) => ({
      async close() {
        store.closed = true;
      },
    }),
    'throws when it is closed a second time': ({ close }, store) => ({
      async close() {
        if (store.closed) throw new Error('called end on pool more than once');
        await close();
      },
    }),
    'connects again for an add after it was closed': ({ assertOpen }) => ({
      assertOpen: (step) => step === 'add' || assertOpen(step),
    }),
    'is ready after it was closed': ({ assertOpen }) => ({
      assertOpen: (step) => step === 'check' || assertOpen(step),
    }),
  },
  'PR-17': {
    'remembers that it was ready': ({ assertOpen, check }) => {
      let first: Promise<void> | undefined;
      return {
        async check() {
          assertOpen('check');
          first ??= check();
          await first;
        },
      };
    },
    'has ten connections for checks alone, and never gives one back with which a check failed': (correct, store) => ({
      async check() {
        await correct.withTimeout(store.take());
        await correct.check();
        store.used -= 1;
      },
    }),
  },
  'PR-22': {
    'inserts nothing to see whether it is ready, and commits that': ({ assertOpen, withTimeout }, { database }) => ({
      async check() {
        assertOpen('check');
        await withTimeout(database.reach());
      },
    }),
    'is never ready again once a commit of its check has failed': ({ check }) => {
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
