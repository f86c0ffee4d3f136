import { type Clause, within } from '@plant-store/contracts-kit';
import type { EngineHarness } from './engine-harness.ts';
import {
  atOnce,
  ENDS_MS,
  expectOneWinner,
  expectStored,
  expectTold,
  inEachFault,
  itemsOf,
  LATE_MS,
  type Numbered,
  numbered,
  onEngine,
  resultOf,
  type Subject,
  settled,
  soon,
  type Told,
  upTo,
  write,
} from './place.ts';

/** Equal keys in several batches: GE-5 to GE-7. */
export const keyClauses: readonly Clause<EngineHarness<unknown, unknown>>[] = [
  {
    id: 'GE-5',
    title: 'of equal keys in batches one after the other the first is stored, and the outcomes say so',
    check: onEngine(async (subject) => {
      const { place } = subject;
      const first = numbered(place, upTo(5), 'first');
      await write(subject, first, 'wrote 5 items');
      const existing = first.map(({ text }) => (place.existing ? { existing: text } : 'written'));
      for (const text of ['second', 'first']) {
        const again = numbered(place, upTo(5), text);
        const action = `wrote 5 items, then "${text}" items of the same keys`;
        expectTold(again, await write(subject, again, action), existing, action);
        await expectStored(subject, first, action);
      }
    }),
  },
  {
    id: 'GE-6',
    title: 'of equal keys in batches that are in flight together one is stored, and the outcomes say so',
    check: onEngine(async (subject) => {
      for (let round = 0; round < 10; round += 1) {
        const numbers = upTo(20).map((number) => 100 * round + number);
        const action = 'wrote two batches at once, of the same 20 keys in opposite orders';
        const batches = [
          numbered(subject.place, numbers, 'one'),
          numbered(subject.place, numbers.toReversed(), 'another'),
        ].map(async (items) => ({ items, told: await write(subject, items, action) }));
        await expectOneWinner(subject, await Promise.all(batches), action);
      }
    }),
  },
  {
    id: 'GE-7',
    title: 'a write that is late changes nothing of what later ones have written',
    check: inEachFault(
      ({ outages }) => outages,
      async (subject, startOutage, name) => {
        const { place, tools } = subject;
        const [late, next] = [numbered(place, upTo(4), 'late'), numbered(place, upTo(5), 'next')];
        const end = await startOutage();
        const action = `wrote a batch while ${name}, and another one of its keys once the deadline of the first had passed`;
        const writing = attempt(subject, late, atOnce(), action);
        await tools.sleep(LATE_MS);
        const beside = attempt(subject, next, soon(), action);
        await tools.sleep(LATE_MS);
        await end();
        const told = await within(
          ENDS_MS,
          tools,
          action,
          Promise.all([writing, beside]),
          'both settle once that is over',
        );
        const batches = [late, next].map((items, at) => ({ items, told: told[at] }));
        await expectOneWinner(subject, batches, action);
      },
    ),
  },
];

/** What becomes of each item; undefined if the write throws. */
async function attempt(
  subject: Subject,
  items: readonly Numbered[],
  deadline: number,
  action: string,
): Promise<readonly Told[] | undefined> {
  const result = await resultOf(() => subject.engine.write(itemsOf(items), deadline));
  return 'error' in result ? undefined : settled(subject, items, result.value, action);
}
