import { ContractViolation, show, within } from '@plant-store/contracts-kit';
import type { EngineClause } from './model-engine.ts';
import {
  HANG_MS,
  inEachFault,
  itemsOf,
  LATE_MS,
  longDeadline,
  numbered,
  onEngine,
  resolves,
  resultOf,
  shortDeadline,
  write,
} from './place.ts';

/** How an engine closes: GE-12 to GE-14. */
export const closingClauses: readonly EngineClause[] = [
  {
    id: 'GE-12',
    since: '2026-12',
    title: 'close resolves although a write is late, and ends that',
    check: inEachFault(
      ({ outages }) => outages,
      async ({ engine, place, tools }, startOutage, name) => {
        const end = await startOutage();
        try {
          const writing = resultOf(() => engine.write(itemsOf(numbered(place, [1, 2], 'late')), shortDeadline()));
          await tools.sleep(LATE_MS);
          const action = `called close() beside a write that is late since ${name}`;
          await resolves(tools, action, () => engine.close());
          await within(HANG_MS, tools, action, writing, 'the write settles');
        } finally {
          await end();
        }
      },
    ),
    mutants: {
      'waits in close until the database responds': ({ close }, { database, tools }) => ({
        async close() {
          while (database.isHanging) await tools.sleep(10);
          await close();
        },
      }),
      'never settles late writes': ({ reach }, engine) => ({
        reach: () =>
          reach().catch((error) => (engine.database.isHanging ? new Promise(() => {}) : Promise.reject(error))),
      }),
    },
  },
  {
    id: 'GE-13',
    since: '2026-12',
    title: 'an engine that is closed rejects calls, and writes nothing',
    check: onEngine(async (subject) => {
      const { engine, place, tools } = subject;
      await write(subject, numbered(place, [1], 'item'), 'wrote an item');
      await engine.close();
      const late = numbered(place, [2], 'late');
      const calls = { write: () => engine.write(itemsOf(late), longDeadline()), probe: () => engine.probe() };
      for (const [name, call] of Object.entries(calls)) {
        const action = `called ${name}() after close()`;
        const result = await within(HANG_MS, tools, action, resultOf<unknown>(call));
        if ('value' in result) throw new ContractViolation(action, `resolved with ${show(result.value)}`, 'it throws');
      }
      const isStored = (await place.stored()).some(({ number }) => number === 2);
      if (isStored) throw new ContractViolation('called write() after close()', 'the item is stored', 'it is not');
    }),
    mutants: {
      'writes after it is closed': (_, engine) => ({
        async reach() {
          await engine.tools.sleep(1);
          while (engine.database.isHanging && !engine.isClosed) await engine.tools.sleep(10);
        },
      }),
      'probes after it is closed': ({ probe }, engine) => ({
        probe: async () => (engine.isClosed ? undefined : probe()),
      }),
      'writes after it is closed, and throws': ({ write }, engine) => ({
        write(items) {
          if (engine.isClosed) for (const item of items) engine.insert(item);
          return write(items);
        },
      }),
    },
  },
  {
    id: 'GE-14',
    since: '2026-12',
    title: 'to close an engine again does nothing',
    check: onEngine(async ({ engine, tools }) => {
      const closing = [engine.close(), engine.close()];
      const action = 'called close() three times, at once and afterwards';
      const all = async () => {
        await Promise.all(closing);
        await engine.close();
      };
      await resolves(tools, action, all);
    }),
    mutants: {
      'throws when it is closed again': ({ close }, engine) => ({
        async close() {
          if (engine.isClosed) throw new Error('Called end on pool more than once');
          await close();
        },
      }),
    },
  },
];
