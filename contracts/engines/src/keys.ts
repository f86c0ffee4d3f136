import { within } from '@plant-store/contracts-kit';
import { Unavailable } from '@plant-store/group-commit';
import { type EngineClause, isRefused } from './model-engine.ts';
import {
  assertResultsChecked,
  expectOneWinner,
  expectStatuses,
  expectStored,
  HANG_MS,
  inEachFault,
  itemsOf,
  LATE_MS,
  longDeadline,
  numbered,
  onEngine,
  oneTo,
  resultOf,
  type Status,
  type Subject,
  settled,
  shortDeadline,
  type TestItem,
  write,
} from './place.ts';

/** The clauses about equal keys in several batches: GE-5 to GE-7. */
export const keyClauses: readonly EngineClause[] = [
  {
    id: 'GE-5',
    since: '2026-12',
    title: 'if sequential batches have the same key, the first item is stored, and the outcomes say so',
    check: onEngine(async (subject) => {
      const { place } = subject;
      const first = numbered(place, oneTo(5), 'first');
      await write(subject, first, 'wrote 5 items');
      const existing = first.map(({ text }) => (place.existing ? { existing: text } : 'written'));
      for (const text of ['second', 'first']) {
        const again = numbered(place, oneTo(5), text);
        const action = `wrote 5 items, then "${text}" items of the same keys`;
        expectStatuses(again, await write(subject, again, action), existing, action);
        await expectStored(subject, first, action);
      }
      assertResultsChecked(place);
    }),
    mutants: {
      'returns `written` for an item that is already stored with the same text': ({ settleOne }, engine) => ({
        settleOne: (item) => (engine.find(item)?.text === item.text ? { done: 'written' } : settleOne(item)),
      }),
      'returns the given text instead of the stored one': ({ settleOne }, engine) => ({
        settleOne: (item) =>
          engine.find(item)?.text.startsWith('first') ? { done: { existing: item.text } } : settleOne(item),
      }),
    },
  },
  {
    id: 'GE-6',
    since: '2026-12',
    title: 'if concurrent batches have the same key, one item is stored, and the outcomes say so',
    check: onEngine(async (subject) => {
      for (let round = 0; round < 10; round += 1) {
        const numbers = oneTo(20).map((number) => 100 * round + number);
        const action = 'wrote two batches at once, of the same 20 keys in opposite orders';
        const batches = [
          numbered(subject.place, numbers, 'one'),
          numbered(subject.place, numbers.toReversed(), 'another'),
        ].map(async (items) => ({ items, statuses: await write(subject, items, action) }));
        await expectOneWinner(subject, await Promise.all(batches), action);
      }
      assertResultsChecked(subject.place);
    }),
    mutants: {
      'checks which keys are free, and writes them later': ({ writeOne }, engine) => ({
        async commit(items) {
          const isLate = engine.database.isHanging;
          const free = new Set(items.filter((item) => !engine.find(item)));
          if (items.length === 20 && !isLate) await engine.tools.sleep(1);
          return items.map((item) =>
            free.has(item) && !isRefused(item) && !engine.isLocked(item) ? engine.insert(item) : writeOne(item),
          );
        },
      }),
    },
  },
  {
    id: 'GE-7',
    since: '2026-12',
    title: 'a write that finishes after its deadline changes nothing of what later ones have written',
    check: inEachFault(
      ({ outages }) => outages,
      async (subject, startOutage, name) => {
        const { place, tools } = subject;
        const [late, next] = [numbered(place, oneTo(4), 'late'), numbered(place, oneTo(5), 'next')];
        const end = await startOutage();
        const action = `wrote a batch while ${name}, and another one of its keys once the deadline of the first had passed`;
        const writing = attempt(subject, late, shortDeadline(), action);
        await tools.sleep(LATE_MS);
        const concurrent = attempt(subject, next, longDeadline(), action);
        await tools.sleep(LATE_MS);
        await end();
        const statuses = await within(
          HANG_MS,
          tools,
          action,
          Promise.all([writing, concurrent]),
          'both settle once that is over',
        );
        const batches = [late, next].map((items, at) => ({ items, statuses: statuses[at] }));
        await expectOneWinner(subject, batches, action);
      },
      assertResultsChecked,
    ),
    mutants: {
      'overwrites later items when a late write finishes': ({ settleOne }, engine) => {
        let isLate = false;
        const { database } = engine;
        return {
          async reach() {
            await engine.tools.sleep(1);
            const hung = database.isHanging;
            while (database.isHanging && !engine.isClosed) await engine.tools.sleep(10);
            if (engine.isClosed) throw new Unavailable('it is closed');
            isLate ||= hung;
          },
          settleOne(item) {
            if (!isLate) return settleOne(item);
            database.rows = database.rows.filter(({ number }) => number !== item.number);
            return engine.insert(item);
          },
        };
      },
      'never ends the second of two hanging writes': ({ reach }, { database }) => {
        let waiting = 0;
        return {
          async reach() {
            if (database.isHanging) waiting += 1;
            if (waiting > 1) await new Promise(() => {});
            await reach();
          },
        };
      },
    },
  },
];

/** Writes and settles items; undefined if the write throws. */
async function attempt(
  subject: Subject,
  items: readonly TestItem[],
  deadline: number,
  action: string,
): Promise<readonly Status[] | undefined> {
  const result = await resultOf(() => subject.engine.write(itemsOf(items), deadline));
  return 'error' in result ? undefined : settled(subject, items, result.value, action);
}
