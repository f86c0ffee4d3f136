import { type Clause, within } from '@plant-store/contracts-kit';
import type { EngineHarness } from './engine-harness.ts';
import {
  expectOneWinner,
  expectStatuses,
  expectStored,
  HANG_MS,
  inEachFault,
  itemsOf,
  LATE_MS,
  longDeadline,
  notSupplied,
  numbered,
  onEngine,
  oneTo,
  resultOf,
  type Status,
  type Subject,
  settled,
  shortDeadline,
  TELLS_NOTHING,
  type TestItem,
  write,
} from './place.ts';

/** The clauses about equal keys in several batches: GE-5 to GE-7. */
export const keyClauses: readonly Clause<EngineHarness<unknown, unknown>>[] = [
  {
    id: 'GE-5',
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
      if (!place.existing) notSupplied('existing', TELLS_NOTHING);
    }),
  },
  {
    id: 'GE-6',
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
      if (!subject.place.existing) notSupplied('existing', TELLS_NOTHING);
    }),
  },
  {
    id: 'GE-7',
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
    ),
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
