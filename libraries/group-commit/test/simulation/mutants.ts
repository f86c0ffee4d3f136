import { defaultErrors, Unavailable } from '../../src/errors.ts';
import type { GroupCommit } from '../../src/group-commit.ts';
import { failingForEver } from '../failing-for-ever.ts';
import type { Oracle } from './oracles.ts';
import type { Line, Result } from './records.ts';
import { type Make, make, type Parts } from './simulate.ts';

/** A group commit that is given other parts than it should be, which is how its mistake comes about. */
const given =
  <Name extends keyof Parts>(part: Name, change: (value: Parts[Name], parts: Parts) => Partial<Parts[Name]>): Make =>
  (parts) =>
    make({ ...parts, [part]: { ...parts[part], ...change(parts[part], parts) } });

/** A group commit of which methods are others. */
const changed =
  (change: (service: GroupCommit<Line, Result>, parts: Parts) => Partial<GroupCommit<Line, Result>>): Make =>
  (parts) => {
    const service = make(parts);
    return { ...service, ...change(service, parts) };
  };

/** Of each the oracle that alone catches it, what it does, and how. */
export const mutants: readonly (readonly [caughtBy: Oracle, does: string, make: Make])[] = [
  ['admission', 'lets one more wait', given('limits', ({ maxWaiting }) => ({ maxWaiting: maxWaiting + 1 }))],
  [
    'answers',
    'tells clients of another error than the engine throws',
    changed(({ submit }) => ({
      submit: (line) =>
        submit(line).catch((error: Error) => {
          throw Object.getPrototypeOf(error) === Unavailable.prototype ? new Unavailable(error.message) : error;
        }),
    })),
  ],
  [
    'answers',
    'says that the engine is unavailable when it is misconfigured',
    given('spec', () => ({ errors: { ...defaultErrors, Misconfigured: Unavailable } })),
  ],
  ['batches', 'writes one item too many', given('limits', ({ maxBatch }) => ({ maxBatch: maxBatch + 1 }))],
  ['batches', 'writes too much', given('limits', ({ maxBatchSize }) => ({ maxBatchSize: maxBatchSize + 1 }))],
  [
    'checks',
    'says that an engine is sound which is not',
    changed(({ check }) => ({
      check: () =>
        check().catch((error) => (error.message === 'the engine is closed' ? Promise.reject(error) : undefined)),
    })),
  ],
  [
    'circuit',
    'does not open the circuit after a failure',
    given('spec', () => ({ errors: { ...defaultErrors, Unavailable: class extends Unavailable {} } })),
  ],
  ['closing', 'closes the engine twice', given('engine', ({ close }) => ({ close: () => close().then(close) }))],
  [
    'deadlines',
    'gives a write too long',
    given('engine', ({ write }) => ({ write: (items, deadline) => write(items, deadline + 1) })),
  ],
  [
    'events',
    'counts one item too many',
    given('events', ({ wrote }) => ({ wrote: (outcome, items, seconds) => wrote(outcome, items + 1, seconds) })),
  ],
  [
    'gathering',
    'waits too long for other clients',
    given('platform', ({ after }) => ({
      after: (ms, callback, gathers) => after(gathers ? ms + 10 : ms, callback, gathers),
    })),
  ],
  ['history', 'acknowledges the later ones of a key, too', given('spec', () => ({ repeat: (result) => result }))],
  ['in flight', 'has one more write in flight', given('limits', ({ maxWrites }) => ({ maxWrites: maxWrites + 1 }))],
  [
    'in time',
    'answers a check late',
    changed(({ check, close }, { platform }) => {
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
    'does not wait for what is locked',
    given('engine', ({ settle }) => ({
      async settle(...of) {
        const outcomes = await settle(...of);
        if (outcomes.includes('conflict')) throw new Unavailable('it is locked');
        return outcomes;
      },
    })),
  ],
  ['recovery', 'never recovers', given('engine', ({ probe }) => failingForEver(probe))],
  [
    'retries',
    'tries six times',
    given('engine', ({ write, isTransient }, { platform }) => ({
      write: (items, deadline) =>
        write(items, deadline).catch((error) => {
          if (!isTransient(error) || platform.now() > deadline - 500) throw error;
          return write(items, deadline);
        }),
    })),
  ],
  [
    'settling',
    'asks again for what is settled',
    given('engine', ({ settle }) => {
      let last: readonly Line[] = [];
      return {
        async settle(items, deadline) {
          if (!items.every((item) => last.includes(item))) last = items;
          const all = last;
          const outcomes = await settle(all, deadline);
          return outcomes.filter((_, at) => items.includes(all[at] as Line));
        },
      };
    }),
  ],
];
