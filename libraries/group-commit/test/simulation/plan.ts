import fc from 'fast-check';
import type { GroupCommitLimits } from '../../src/limits.ts';

type Drawn<Drawing> = Drawing extends fc.Arbitrary<infer Value> ? Value : never;

/** The input of one run of the simulation. fast-check shrinks it. */
export type Plan = Drawn<typeof plans>;
export type Fault = Drawn<ReturnType<typeof drawFaults>>[number];
export type FaultKind = (typeof faultKinds)[number];

/**
 * - `slow`: each write takes `magnitude` times 100 ms longer.
 * - `transient`: `magnitude` operations fail, write nothing, and succeed if they are tried again.
 * - `lost`: `magnitude` operations fail although their items are written.
 * - `dies`: writes fail before or after their commit, and must not be tried again.
 * - `down`: everything fails, with a transient error if `magnitude` is even.
 * - `hangs`: operations that start now continue when the fault ends, fail then, or never end.
 * - `unsafe`: only the probe fails.
 * - `slowProbe`: only the probe takes `magnitude` times 100 ms longer.
 * - `locks`: another writer has locked a key, and commits or rolls back when the fault ends.
 * - `tableLocked`: another session has locked everything.
 * - `miscounts`: the engine gives too few results.
 * - `breaks`: a callback throws: the engine's `classify`, the spec's `repeat`, or an event.
 */
export const faultKinds = [
  'slow',
  'transient',
  'lost',
  'dies',
  'down',
  'hangs',
  'unsafe',
  'slowProbe',
  'locks',
  'tableLocked',
  'miscounts',
  'breaks',
] as const;

/** Few keys, so that they collide. */
const keys = ['a', 'b', 'c', 'd', 'e', 'f', '__proto__', ''];

/** True for one of `weight` draws. */
const drawRarely = (weight: number) =>
  fc.oneof({ weight: weight - 1, arbitrary: fc.constant(false) }, fc.constant(true));

/** Draws bursts and single calls, with colliding and unique keys, and with accepted and refused items. */
const calls = fc
  .record({
    lone: fc.constantFrom(1, 4, 20),
    shared: fc.constantFrom(8, 3, 1),
    quiet: fc.constantFrom(30, 4, 1),
    refused: fc.constantFrom(20, 3, 1_000_000),
  })
  .chain(({ lone, shared, quiet, refused }) => {
    const call = fc.record({
      afterMs: fc.oneof({ weight: quiet, arbitrary: fc.constant(0) }, fc.nat(20), fc.nat(200)),
      does: drawRarely(11).map((isCheck) => (isCheck ? 'check' : 'add')),
      /** Null stands for a unique key. */
      key: fc.oneof(
        { weight: lone, arbitrary: fc.constant(null) },
        { weight: 4, arbitrary: fc.constantFrom(...keys.slice(0, shared)) },
      ),
      size: fc.integer({ min: 1, max: 9 }),
      isRefused: drawRarely(refused),
    });
    return fc.array(call, { minLength: 1, maxLength: 60, size: 'max' });
  });

const upTo = (max: number) => fc.integer({ min: 1, max });
const short = { at: fc.nat(20), forMs: upTo(50) };
const any = { at: fc.oneof(fc.nat(20), fc.nat(500)), forMs: fc.oneof(upTo(20), upTo(500), upTo(5_000)) };

/** Draws faults, most of which overlap with the calls. */
function drawFaults(kinds: readonly FaultKind[], when = any) {
  const fault = fc.record({
    ...when,
    kind: fc.constantFrom(...kinds),
    magnitude: upTo(20),
    key: fc.constantFrom(...keys),
  });
  return fc.array(fault, { minLength: 1, maxLength: 5, size: 'max' });
}

export const plans = fc.record({
  /** Seeds the latencies, the pauses, and the fate of hanging operations. */
  seed: fc.nat(),
  limits: fc.record<Required<GroupCommitLimits>>({
    timeoutMs: fc.constantFrom(2_000, 700),
    maxBatch: fc.constantFrom(100, 100, 10, 4, 2, 1),
    maxBatchSize: fc.constantFrom(1_000, 1_000, 20, 5),
    maxWaiting: fc.constantFrom(1_000, 1_000, 10, 3),
    maxWaitMs: fc.constantFrom(2_000, 200, 20),
    maxWrites: fc.constantFrom(2, 2, 1, 3),
  }),
  engine: fc.record({
    fixedMs: fc.oneof(fc.nat(3), fc.nat(10), fc.nat(200)),
    perItemMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(1), fc.nat(40)),
    /** How long a write waits for a lock. */
    lockWaitMs: fc.constantFrom(0, 0, 5, 50),
    /** What gets the error of an item: the item alone, each of the batch that is not stored, or the batch. */
    blames: fc.constantFrom('item', 'batch', 'thrown'),
    /** Whether calls end at their deadline. */
    isPunctual: fc.boolean(),
  }),
  calls,
  /** Clients that add again after each response, each with its pauses before. */
  clients: fc.oneof(
    { weight: 4, arbitrary: fc.constant<number[][]>([]) },
    fc.array(fc.array(fc.nat(4), { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 6, size: 'max' }),
  ),
  // Some oracles are exact only for plans with at most one kind of fault.
  faults: fc.oneof(
    fc.constant<Fault[]>([]),
    ...faultKinds.map((kind) => drawFaults([kind])),
    { weight: 2, arbitrary: drawFaults(['locks']) },
    { weight: 2, arbitrary: drawFaults(['transient', 'lost', 'locks', 'tableLocked'], short) },
    { weight: 3, arbitrary: drawFaults(['locks', 'dies', 'transient']) },
    { weight: 6, arbitrary: drawFaults(faultKinds) },
  ),
  /** Whether it is checked every second for a minute, in which nothing is added. */
  isIdleInTheEnd: drawRarely(8),
  /** The time of `close`; null for a close after all faults have ended. */
  closesAt: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.nat(700), fc.nat(3_000)),
});
