import { ownErrors, Unavailable } from '../../src/errors.ts';
import { type GroupCommit, groupCommit } from '../../src/group-commit.ts';
import { failingForEver } from '../failing-for-ever.ts';
import type { Line, Oracle, Result } from './records.ts';
import type { Make } from './simulate.ts';

type Parts = Parameters<Make>;
type Service = GroupCommit<Line, Result>;

/** A group commit that is given other parts than it should be, which is how its mistake comes about. */
const given =
  (change: (...parts: Parts) => { readonly [At in keyof Parts]?: Parts[At] } | Parts): Make =>
  (...parts) =>
    groupCommit(...(Object.assign([...parts], change(...parts)) as Parts));

const onEngine = (change: (engine: Parts[0], platform: Parts[4]) => Partial<Parts[0]>): Make =>
  given((engine, ...[, , , platform]) => {
    const { hasCircuitBreaker = true } = engine;
    const own: Parts[0] = {
      hasCircuitBreaker,
      write: (...of) => engine.write(...of),
      settle: (...of) => engine.settle?.(...of) ?? Promise.reject(),
      probe: () => engine.probe(),
      close: () => engine.close(),
      isTransient: (error) => engine.isTransient?.(error) ?? false,
    };
    return { 0: { ...own, ...change(own, platform) } };
  });

const withLimits = (change: (limits: Required<Parts[2]>) => Parts[2]): Make =>
  given((_, __, limits) => ({ 2: { ...limits, ...change(limits as Required<Parts[2]>) } }));

const onService =
  (change: (service: Service, ...parts: Parts) => Partial<Service>): Make =>
  (...parts) => {
    const service = groupCommit(...parts);
    return { ...service, ...change(service, ...parts) };
  };

const failureOf = (work: Promise<void>): Promise<Error | undefined> =>
  work.then(
    () => undefined,
    (error) => error,
  );

/** Of each the oracle that alone catches it, what it does, and how. */
export const mutants: readonly (readonly [caughtBy: Oracle, does: string, make: Make])[] = [
  ['admission', 'lets one more wait', withLimits(({ maxWaiting }) => ({ maxWaiting: maxWaiting + 1 }))],
  [
    'answers',
    'tells clients of another error than the engine throws',
    onService(({ submit }) => ({
      submit: (line) =>
        submit(line).catch((error: Error) => {
          throw Object.getPrototypeOf(error) === Unavailable.prototype ? new Unavailable(error.message) : error;
        }),
    })),
  ],
  ['batches', 'writes one item too many at once', withLimits(({ maxBatch }) => ({ maxBatch: maxBatch + 1 }))],
  ['batches', 'writes too much at once', withLimits(({ maxBatchSize }) => ({ maxBatchSize: maxBatchSize + 1 }))],
  [
    'checks',
    'says that an engine is sound which is not',
    onService(({ check }) => ({
      async check() {
        const error = await failureOf(check());
        if (error?.message === 'the engine is closed') throw error;
      },
    })),
  ],
  [
    'circuit',
    'does not open the circuit after a failure',
    given((_, spec) => ({
      1: { ...spec, errors: { ...ownErrors, Unavailable: class extends Unavailable {} } },
    })),
  ],
  [
    'closing',
    'closes the engine twice',
    onEngine(({ close }) => ({
      async close() {
        await close();
        await close();
      },
    })),
  ],
  [
    'deadlines',
    'gives a write too long',
    onEngine(({ write }) => ({ write: (items, deadline) => write(items, deadline + 1) })),
  ],
  [
    'errors',
    'says that the engine is unavailable when it is misconfigured',
    given((_, spec) => ({ 1: { ...spec, errors: { ...ownErrors, Misconfigured: Unavailable } } })),
  ],
  [
    'events',
    'counts one item too many',
    given((_, __, ___, events) => ({
      3: { ...events, wrote: (outcome, items, seconds) => events.wrote?.(outcome, items + 1, seconds) },
    })),
  ],
  [
    'gathering',
    'waits too long for other clients',
    given((_, __, ___, ____, platform) => ({
      4: { ...platform, after: (ms, callback, gathers) => platform.after(gathers ? ms + 10 : ms, callback, gathers) },
    })),
  ],
  [
    'history',
    'acknowledges the later ones of a key, too',
    given((_, spec) => ({ 1: { ...spec, repeat: (result) => result } })),
  ],
  ['in flight', 'has one more write in flight', withLimits(({ maxWrites }) => ({ maxWrites: maxWrites + 1 }))],
  [
    'in time',
    'answers a check late',
    onService(({ check, close }, ...[, , , , platform]) => {
      let isClosing = false;
      return {
        async check() {
          const error = await failureOf(check());
          if (error?.message.startsWith('the engine did not respond') && !isClosing) await platform.sleep(1);
          if (error) throw error;
        },
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
    onEngine(({ settle }) => ({
      async settle(...of) {
        const outcomes = await settle?.(...of);
        if (!outcomes || outcomes.includes('conflict')) throw new Unavailable('it is locked');
        return outcomes;
      },
    })),
  ],
  [
    'probes',
    'probes twice at a time',
    onEngine(({ probe }) => ({
      async probe() {
        await Promise.all([probe(), probe()]);
      },
    })),
  ],
  ['recovery', 'never recovers', onEngine(({ probe }) => failingForEver(probe))],
  [
    'retries',
    'tries six times',
    onEngine(({ write, isTransient }, { now }) => ({
      async write(items, deadline) {
        const result = await write(items, deadline).catch((error: Error) => error);
        if (!(result instanceof Error)) return result;
        if (!isTransient?.(result) || now() > deadline - 500) throw result;
        return write(items, deadline);
      },
    })),
  ],
  [
    'settling',
    'asks again for what is settled',
    onEngine(({ settle }) => {
      let last: readonly Line[] = [];
      return {
        async settle(items, deadline) {
          const all = items.every((item) => last.includes(item)) ? last : items;
          last = all;
          const outcomes = (await settle?.(all, deadline)) ?? [];
          return outcomes.filter((_, at) => items.includes(all[at] as Line));
        },
      };
    }),
  ],
  [
    'timers',
    'has a timer for each item',
    onService(({ submit }, _, __, ___, ____, platform) => ({
      submit(line) {
        platform.after(100, () => {});
        return submit(line);
      },
    })),
  ],
];
