import { defaultErrors, Unavailable } from '../../src/errors.ts';
import type { GroupCommit } from '../../src/group-commit.ts';
import { failingForEver } from '../failing-for-ever.ts';
import type { Oracle } from './oracles.ts';
import type { Item, Result } from './records.ts';
import { create, type Factory, type Setup } from './simulate.ts';

/** Creates a mutant by patching one of the dependencies. */
const patch =
  <Name extends keyof Setup>(part: Name, change: (value: Setup[Name], parts: Setup) => Partial<Setup[Name]>): Factory =>
  (parts) =>
    create({ ...parts, [part]: { ...parts[part], ...change(parts[part], parts) } });

/** Creates a mutant by wrapping methods of the group commit. */
const wrap =
  (change: (service: GroupCommit<Item, Result>, parts: Setup) => Partial<GroupCommit<Item, Result>>): Factory =>
  (parts) => {
    const service = create(parts);
    return { ...service, ...change(service, parts) };
  };

/** Each mutant, with the only oracle that catches it and its mistake. */
export const mutants: readonly (readonly [caughtBy: Oracle, does: string, create: Factory])[] = [
  ['admission', 'queues one item too many', patch('limits', ({ maxWaiting }) => ({ maxWaiting: maxWaiting + 1 }))],
  [
    'answers',
    'replaces the errors of the engine',
    wrap(({ submit }) => ({
      submit: (item) =>
        submit(item).catch((error: Error) => {
          throw Object.getPrototypeOf(error) === Unavailable.prototype ? new Unavailable(error.message) : error;
        }),
    })),
  ],
  [
    'answers',
    'reports a misconfigured engine as unavailable',
    patch('spec', () => ({ errors: { ...defaultErrors, Misconfigured: Unavailable } })),
  ],
  ['batches', 'writes one item too many', patch('limits', ({ maxBatch }) => ({ maxBatch: maxBatch + 1 }))],
  ['batches', 'writes too much', patch('limits', ({ maxBatchSize }) => ({ maxBatchSize: maxBatchSize + 1 }))],
  [
    'checks',
    'reports a faulty engine as ready',
    wrap(({ check }) => ({
      check: () =>
        check().catch((error) => (error.message === 'the engine is closed' ? Promise.reject(error) : undefined)),
    })),
  ],
  [
    'circuit',
    'does not open the circuit after a failure',
    patch('spec', () => ({ errors: { ...defaultErrors, Unavailable: class extends Unavailable {} } })),
  ],
  ['closing', 'closes the engine twice', patch('engine', ({ close }) => ({ close: () => close().then(close) }))],
  [
    'deadlines',
    'gives a write too long',
    patch('engine', ({ write }) => ({ write: (items, deadline) => write(items, deadline + 1) })),
  ],
  [
    'events',
    'counts one item too many',
    patch('events', ({ wrote }) => ({
      wrote: (outcome, items, ...rest) => wrote(outcome, items + 1, ...rest),
    })),
  ],
  [
    'events',
    'reports no contexts of duplicates',
    patch('events', ({ wrote }) => ({
      wrote: (outcome, items, seconds, contexts) => wrote(outcome, items, seconds, contexts?.slice(0, items)),
    })),
  ],
  [
    'gathering',
    'waits too long for other clients',
    patch('platform', ({ after }) => ({
      after: (ms, callback, keepsAlive) => after(keepsAlive ? ms + 10 : ms, callback, keepsAlive),
    })),
  ],
  ['history', 'acknowledges duplicates', patch('spec', () => ({ repeat: (result) => result }))],
  ['in flight', 'runs one write too many', patch('limits', ({ maxWrites }) => ({ maxWrites: maxWrites + 1 }))],
  [
    'in time',
    'settles a check late',
    wrap(({ check, close }, { platform }) => {
      let isClosing = false;
      return {
        check: () =>
          check().catch(async (error) => {
            if (error.message.startsWith('the engine did not respond') && !isClosing) await platform.sleep(1);
            throw error;
          }),
        close() {
          isClosing = true;
          return close();
        },
      };
    }),
  ],
  [
    'passing faults',
    'does not wait for locks',
    patch('engine', ({ settle }) => ({
      async settle(...of) {
        const outcomes = await settle(...of);
        if (outcomes.includes('conflict')) throw new Unavailable('it is locked');
        return outcomes;
      },
    })),
  ],
  ['recovery', 'never recovers', patch('engine', ({ probe }) => failingForEver(probe))],
  [
    'retries',
    'tries six times',
    patch('engine', ({ write, isTransient }, { platform }) => ({
      write: (items, deadline) =>
        write(items, deadline).catch((error) => {
          if (!isTransient(error) || platform.now() > deadline - 500) throw error;
          return write(items, deadline);
        }),
    })),
  ],
  [
    'settling',
    'settles settled items again',
    patch('engine', ({ settle }) => {
      let last: readonly Item[] = [];
      return {
        async settle(items, deadline) {
          if (!items.every((item) => last.includes(item))) last = items;
          const all = last;
          const outcomes = await settle(all, deadline);
          return outcomes.filter((_, at) => items.includes(all[at] as Item));
        },
      };
    }),
  ],
];
