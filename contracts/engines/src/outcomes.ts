import { ContractViolation, eventually, show, within } from '@plant-store/contracts-kit';
import { type Outcome, Unavailable } from '@plant-store/group-commit';
import { type EngineClause, isRefused, type Result } from './model-engine.ts';
import {
  assertResultsChecked,
  expectStatuses,
  expectStored,
  HANG_MS,
  inEachFault,
  isUnavailable,
  itemsOf,
  LATE_MS,
  longDeadline,
  NOTHING_HINDERS,
  notSupplied,
  numbered,
  onEngine,
  oneTo,
  resolves,
  resultOf,
  settled,
  shortDeadline,
  statusOf,
  write,
} from './place.ts';

/** The clauses about the results and errors of `write`: GE-1 to GE-4. */
export const outcomeClauses: readonly EngineClause[] = [
  {
    id: 'GE-1',
    since: '2026-12',
    title: 'write returns one outcome for each item, in their order',
    check: onEngine(async (subject) => {
      const { engine, place, tools } = subject;
      for (const count of [1, 2, 100]) {
        const numbers = oneTo(count).map((number) => 1_000 * count + number);
        const action = `wrote a batch of ${count}`;
        const writing = engine.write(itemsOf(numbered(place, numbers, 'item')), longDeadline());
        const outcomes = await within(HANG_MS, tools, action, writing);
        if (outcomes.length !== count)
          throw new ContractViolation(action, `it resolved with ${outcomes.length} outcomes`, `${count} outcomes`);
      }
      assertResultsChecked(place);
      const taken = oneTo(20).filter((number) => number % 3 > 0);
      await write(subject, numbered(place, taken, 'first'), `wrote ${taken.length} items`);
      const mixed = numbered(place, oneTo(20), 'second');
      const action = 'wrote a batch of 20, of which every third key was free';
      const expected = mixed.map(({ number }) => (number % 3 > 0 ? { existing: `first ${number}` } : 'written'));
      expectStatuses(mixed, await write(subject, mixed, action), expected, action);
    }),
    mutants: {
      'returns at most fifty outcomes': ({ write }) => ({ write: async (items) => (await write(items)).slice(0, 50) }),
      'returns the outcomes of written items first, as RETURNING does': ({ commit }) => ({
        async commit(items) {
          const outcomes = await commit(items);
          const isConflict = (outcome: Outcome<Result>) => outcome === 'conflict';
          return [...outcomes.filter((each) => !isConflict(each)), ...outcomes.filter(isConflict)];
        },
      }),
    },
  },
  {
    id: 'GE-2',
    since: '2026-12',
    title: 'an item that is done is stored, and stays so after the engine is closed',
    check: onEngine(async (subject) => {
      const items = numbered(subject.place, oneTo(100), 'item');
      await write(subject, items.slice(0, 1), 'wrote a batch of 1');
      await write(subject, items.slice(1), 'wrote a batch of 99');
      await expectStored(subject, items, 'wrote 100 items');
      await subject.engine.close();
      await expectStored(subject, items, 'wrote 100 items, and closed the engine');
    }),
    mutants: {
      'forgets its last batch when it is closed': ({ close }, { database }) => ({
        close() {
          database.rows = database.rows.slice(0, 1);
          return close();
        },
      }),
      'writes only after it has returned': ({ commit }, { tools, database }) => ({
        async commit(items) {
          const before = [...database.rows];
          const outcomes = await commit(items);
          if (items.length < 50) return outcomes;
          const after = database.rows;
          database.rows = before;
          void tools.sleep(50).then(() => {
            database.rows = after;
          });
          return outcomes;
        },
      }),
    },
  },
  {
    id: 'GE-3',
    since: '2026-12',
    title: 'an error other than Unavailable means that nothing was written',
    check: inEachFault(
      (place) => ({
        ...place.outages,
        ...(place.loseResponses && { 'responses are lost': place.loseResponses.bind(place) }),
      }),
      async (subject, startFault, name) => {
        const { engine, place, tools } = subject;
        // The engine must be connected before the fault starts.
        const before = numbered(place, [100], 'before');
        await write(subject, before, 'wrote an item');
        const items = numbered(place, oneTo(4), 'item');
        const end = await startFault();
        const writing = resultOf(() => engine.write(itemsOf(items), shortDeadline()));
        await tools.sleep(2 * LATE_MS);
        await end();
        const action = `wrote a batch while ${name}`;
        const result = await within(HANG_MS, tools, action, writing, 'it settles once that is over');
        const stored = (await place.stored()).filter(({ number }) => number < 100);
        if ('error' in result && !isUnavailable(place, result.error) && stored.length > 0) {
          const actual = `it threw ${show(result.error)}, and ${stored.length} items are stored`;
          throw new ContractViolation(action, actual, 'it throws Unavailable: the outcome is unknown');
        }
        const outcomes = 'value' in result ? result.value : [];
        for (const [at, { number, text }] of items.entries())
          if ((outcomes[at] ?? 'conflict') !== 'conflict' && !stored.some((each) => each.number === number))
            throw new ContractViolation(
              action,
              `${show(text)} is ${show(outcomes[at])}, and not stored`,
              'it is stored',
            );
        const again = `${action}, and the same batch once that was over`;
        // An engine may need a failing write to notice that its connections are lost.
        const rewriting = eventually(tools, again, async () => {
          const later = await engine.write(itemsOf(items), longDeadline());
          await settled(subject, items, later, again);
        });
        await within(HANG_MS, tools, again, rewriting);
        await expectStored(subject, [...before, ...items], again);
      },
      ({ outages, loseResponses }) => {
        if (!outages) notSupplied('outages', NOTHING_HINDERS);
        if (!loseResponses) notSupplied('loseResponses', 'no response of the engine can get lost');
      },
    ),
    mutants: {
      'throws another error if the response is lost': ({ commit }) => ({
        commit: (items) => commit(items).catch(() => Promise.reject(new SyntaxError('Unexpected end of JSON input'))),
      }),
      'fails with another error half-way, and rolls nothing back': ({ commit }, { database }) => ({
        async commit(items) {
          if (!database.isUnsafe) return commit(items);
          await commit(items.slice(0, 2));
          throw new TypeError('fsync failed');
        },
      }),
      'remembers keys before it writes them, and forgets none if that fails': ({ commit }, { database }) => {
        const known = new Set<number>();
        return {
          async commit(items) {
            if (items.every(({ number }) => known.has(number)))
              return items.map(({ text }) => ({ done: { existing: text } }));
            for (const { number } of items) known.add(number);
            if (database.isUnsafe) throw new Unavailable('fsync failed');
            return commit(items);
          },
        };
      },
      'returns `done` for a lost response, although it has rolled back': ({ commit }, { database }) => ({
        async commit(items) {
          if (!database.isLosing) return commit(items);
          return items.map(() => ({ done: 'written' }));
        },
      }),
    },
  },
  {
    id: 'GE-4',
    since: '2026-12',
    title: 'an item that the engine rejects has the outcome `refused`, and does not affect the others',
    check: onEngine(async (subject) => {
      const { engine, place, tools } = subject;
      const refused = place.refused ?? notSupplied('refused', 'the engine refuses nothing');
      const others = numbered(place, oneTo(12), 'item');
      for (const [round, at] of [0, 1, 3].entries()) {
        const ours = others.slice(3 * round, 3 * round + 3);
        const action = `wrote a batch of 4, with a refused item at ${at}`;
        const batch = itemsOf(ours).toSpliced(at, 0, refused);
        const outcomes = await resolves(tools, action, () => engine.write(batch, longDeadline()));
        const statuses = outcomes.map((outcome) => statusOf(place, outcome));
        const [own] = statuses.splice(at, 1);
        if (typeof own !== 'object' || !('refused' in own) || !(own.refused instanceof Error))
          throw new ContractViolation(action, `its outcome is ${show(own)}`, '{refused: Error}');
        expectStatuses(ours, statuses, Array(3).fill('written'), action);
      }
      await expectStored(subject, others.slice(0, 9), 'wrote 9 items in three batches, each with a refused one');
    }),
    mutants: {
      'rejects the whole batch with the error of a refused item': ({ commit }) => ({
        async commit(items) {
          if (items.some(isRefused)) throw new RangeError('refused');
          return commit(items);
        },
      }),
      'rolls back the items beside a refused one, and returns `done` for them': ({ commit }, { database }) => ({
        async commit(items) {
          const before = [...database.rows];
          const outcomes = await commit(items);
          if (items.some(isRefused)) database.rows = before;
          return outcomes;
        },
      }),
      'returns the outcomes of refused items last': ({ commit }) => ({
        commit: async (items) => commit([...items.filter((item) => !isRefused(item)), ...items.filter(isRefused)]),
      }),
      'writes a refused item': ({ writeOne }, engine) => ({
        writeOne: (item) => {
          if (isRefused(item)) engine.insert(item);
          return writeOne(item);
        },
      }),
      'returns the message alone': ({ writeOne }) => ({
        writeOne: (item) => (isRefused(item) ? { refused: 'refused' as unknown as Error } : writeOne(item)),
      }),
    },
  },
];
