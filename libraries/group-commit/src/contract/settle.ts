import { type Clause, ContractViolation, resolved, show, within } from '@plant-store/contracts-kit';
import type { Outcome } from '../batch-engine.ts';
import type { EndFault, EngineHarness } from './engine-harness.ts';
import {
  ENDS_MS,
  expectStored,
  expectTold,
  itemsOf,
  type Numbered,
  notSupplied,
  numbered,
  onEngine,
  type Subject,
  settled,
  soon,
  toldBy,
  upTo,
  write,
} from './place.ts';

/** What somebody else has locked: GE-8 and GE-9. */
export const settleClauses: readonly Clause<EngineHarness<unknown, unknown>>[] = [
  {
    id: 'GE-8',
    title: 'settle writes items whose keys are free by then, and returns one outcome for each, in their order',
    check: onEngine(async (subject) => {
      const items = numbered(subject.place, upTo(4), 'item');
      const { outcomes, end } = await writeLocked(subject, items);
      await end();
      const [taken] = numbered(subject.place, [2], 'of somebody else');
      if (!taken) return;
      await write(subject, [taken], 'wrote another item under a key once its lock was gone');
      const action = 'called settle() for four items that had conflicted, and of which the second key is taken by now';
      const told = await settled(subject, items, outcomes, action);
      const second = subject.place.existing ? { existing: taken.text } : 'written';
      expectTold(items, told, ['written', second, 'written', 'written'], action);
      await expectStored(subject, items.with(1, taken), action);
    }),
  },
  {
    id: 'GE-9',
    title: 'neither write nor settle waits for a locked key, which conflicts alone',
    check: onEngine(async (subject) => {
      const { engine, place, tools } = subject;
      const end = await lock(subject, [2]);
      const items = numbered(place, upTo(3), 'item');
      const expected = ['written', 'conflict', 'written'] as const;
      try {
        const action = 'wrote a batch of three, of which somebody else has locked the second key';
        const outcomes = await within(
          UNLOCKED_MS,
          tools,
          action,
          resolved(action, () => engine.write(itemsOf(items), soon()), 'it resolves'),
        );
        expectTold(
          items,
          outcomes.map((outcome) => toldBy(place, outcome)),
          expected,
          action,
        );
        const again = 'called settle() for an item whose key somebody else has locked';
        const left = items.filter((_, at) => outcomes[at] === 'conflict');
        const settling = resolved(again, async () => engine.settle?.(itemsOf(left), soon()), 'it resolves');
        const later = await within(UNLOCKED_MS, tools, again, settling);
        if (show(later) !== show(['conflict'])) throw new ContractViolation(again, show(later), '["conflict"]');
      } finally {
        await end();
      }
    }),
  },
];

async function lock({ place }: Subject, numbers: readonly number[]): Promise<EndFault> {
  const ends: EndFault[] = [];
  for (const number of numbers)
    ends.push((await place.lock?.(number)) ?? notSupplied('lock', 'nobody else can lock a key'));
  return async () => {
    for (const end of ends) await end();
  };
}

/** Writes a batch of which somebody else has locked each key. */
async function writeLocked(
  subject: Subject,
  items: readonly Numbered[],
): Promise<{ readonly outcomes: readonly Outcome<unknown>[]; readonly end: EndFault }> {
  const end = await lock(
    subject,
    items.map(({ number }) => number),
  );
  try {
    const action = 'wrote a batch of which somebody else has locked every key';
    const writing = resolved(
      action,
      () => subject.engine.write(itemsOf(items), soon()),
      'each has the outcome `conflict`',
    );
    return { outcomes: await within(ENDS_MS, subject.tools, action, writing), end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** 5 s: MySQL cannot wait for a lock for less than one. */
const UNLOCKED_MS = 5_000;
