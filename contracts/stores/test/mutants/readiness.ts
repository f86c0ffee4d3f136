import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { StoreUnavailable } from '@plant-store/domain';
import type { StoreMutation } from '../model/model-store.ts';

/** Break PR-14, PR-17 and PR-22, which are about check, and PR-15, which is about close. */
export const readiness: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  'PR-14': {
    'reads a plant to see whether it is ready, and is not while there is none': (
      { check },
      { database, connection },
    ) => ({
      async check() {
        await check();
        await connection.reach();
        if (database.rows.size === 0) throw new StoreUnavailable('no row returned');
      },
    }),
    'takes a connection for every check, out of ten, and never gives it back': ({ write, check }) => {
      let free = 10;
      return {
        write: (batch) => (free > 0 ? write(batch) : new Promise(() => {})),
        async check() {
          await check();
          free -= 1;
        },
      };
    },
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
    'connects again for an add after it was closed': ({ assertOpen, close }) => {
      let hasEnded = false;
      return {
        assertOpen: () => hasEnded || assertOpen(),
        async close() {
          await close();
          hasEnded = true;
        },
      };
    },
    'is ready after it was closed': ({ check }, store) => ({
      check: async () => (store.closed ? undefined : check()),
    }),
  },
  'PR-17': {
    'is ready for a minute after it was': ({ assertOpen, check }, { database }) => {
      let isReady = false;
      return {
        async check() {
          assertOpen();
          if (isReady) return;
          await check();
          isReady = true;
          void database.sleep(60_000).then(() => (isReady = false));
        },
      };
    },
    'has ten connections for checks alone, and never gives one back with which a check failed': ({
      check,
      withTimeout,
    }) => {
      let free = 10;
      return {
        async check() {
          if (free <= 0) await withTimeout(new Promise(() => {}));
          await check().catch((error) => {
            free -= 1;
            throw error;
          });
        },
      };
    },
  },
  'PR-22': {
    'inserts nothing to see whether it is ready, and commits that': ({ assertOpen, withTimeout }, { connection }) => ({
      async check() {
        assertOpen();
        await withTimeout(connection.reach());
      },
    }),
    'is never ready again once a commit of its check has failed': ({ check }, { database }) => {
      let failure: unknown;
      return {
        async check() {
          if (failure) throw failure;
          await check().catch((error) => {
            if (database.isFull) failure = error;
            throw error;
          });
        },
      };
    },
  },
});
