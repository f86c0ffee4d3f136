import { ContractViolation, show } from '@plant-store/contracts-kit';
import type { EndFault } from './engine-harness.ts';
import type { EngineClause } from './model-engine.ts';
import {
  assertResultsChecked,
  expectStatuses,
  expectStored,
  itemsOf,
  longDeadline,
  notSupplied,
  numbered,
  onEngine,
  oneTo,
  resolves,
  type Subject,
  settled,
  statusOf,
  write,
} from './place.ts';

/** The clauses about locked keys: GE-8 and GE-9. */
export const settleClauses: readonly EngineClause[] = [
  {
    id: 'GE-8',
    since: '2026-12',
    title: 'settle writes items whose keys are now free, and returns one outcome for each, in their order',
    check: onEngine(async (subject) => {
      const { engine, tools } = subject;
      const items = numbered(subject.place, oneTo(4), 'item');
      const end = await lock(subject, oneTo(4));
      const locked = 'wrote a batch of which somebody else has locked every key';
      const writing = resolves(tools, locked, () => engine.write(itemsOf(items), longDeadline()));
      const outcomes = await writing.finally(end);
      const [taken] = numbered(subject.place, [2], 'of somebody else');
      if (!taken) return;
      await write(subject, [taken], 'wrote another item under a key once its lock was gone');
      const action = 'called settle() for four items that had conflicted, and of which the second key is taken by now';
      const statuses = await settled(subject, items, outcomes, action);
      const second = subject.place.existing ? { existing: taken.text } : 'written';
      expectStatuses(items, statuses, ['written', second, 'written', 'written'], action);
      await expectStored(subject, items.with(1, taken), action);
      assertResultsChecked(subject.place);
    }),
    mutants: {
      'never writes an item that has conflicted': ({ settleOne }, engine) => ({
        settleOne: (item) => (engine.find(item) ? settleOne(item) : 'conflict'),
      }),
      'returns the outcomes of settle in another order': ({ settle }) => ({
        settle: async (items) => {
          const outcomes = await settle(items);
          return outcomes.some(
            (outcome) => typeof outcome === 'object' && 'done' in outcome && outcome.done === 'written',
          )
            ? outcomes.toReversed()
            : outcomes;
        },
      }),
    },
  },
  {
    id: 'GE-9',
    since: '2026-12',
    title: 'neither write nor settle waits for a locked key, which conflicts alone',
    check: onEngine(async (subject) => {
      const { engine, place, tools } = subject;
      const end = await lock(subject, [2]);
      const items = numbered(place, oneTo(3), 'item');
      try {
        const action = 'wrote a batch of three, of which somebody else has locked the second key';
        const outcomes = await resolves(tools, action, () => engine.write(itemsOf(items), longDeadline()), UNLOCKED_MS);
        const statuses = outcomes.map((outcome) => statusOf(place, outcome));
        expectStatuses(items, statuses, ['written', 'conflict', 'written'], action);
        const again = 'called settle() for an item whose key somebody else has locked';
        const left = items.filter((_, at) => outcomes[at] === 'conflict');
        const later = await resolves(
          tools,
          again,
          async () => engine.settle?.(itemsOf(left), longDeadline()),
          UNLOCKED_MS,
        );
        if (show(later) !== show(['conflict'])) throw new ContractViolation(again, show(later), '["conflict"]');
      } finally {
        await end();
      }
    }),
    mutants: {
      'waits for locks in write': ({ write }, engine) => ({
        async write(items) {
          if (items.length === 3) while (items.some((item) => engine.isLocked(item))) await engine.tools.sleep(10);
          return write(items);
        },
      }),
      'waits for locks in settle': ({ settle }, engine) => ({
        async settle(items) {
          while (items.some((item) => engine.isLocked(item))) await engine.tools.sleep(10);
          return settle(items);
        },
      }),
      'returns `conflict` for a whole batch if one key is locked': ({ commit }, engine) => ({
        commit: async (items) =>
          items.some((item) => engine.isLocked(item)) ? items.map(() => 'conflict') : commit(items),
      }),
    },
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

/** 5 s: MySQL's shortest lock timeout is 1 s. */
const UNLOCKED_MS = 5_000;
