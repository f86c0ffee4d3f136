import fc from 'fast-check';
import type { GroupCommitLimits } from '../../src/limits.ts';

type Drawn<Drawing> = Drawing extends fc.Arbitrary<infer Value> ? Value : never;

/** The input of one run of the simulation. fast-check shrinks it. */
export type Plan = Drawn<typeof ordinary>;
export type Fault = Drawn<ReturnType<typeof faultsOf>>[number];

/**
 * - `slow`: each write takes `magnitude` times 100 ms.
 * - `transient`: `magnitude` operations fail, write nothing, and succeed if retried.
 * - `lost`: `magnitude` operations fail although their items are written.
 * - `dies`: writes fail before or after their commit.
 * - `down`, `misconfigured`: everything fails.
 * - `hangs`: operations that start now continue when the fault ends, fail then, or never end.
 * - `unsafe`: only the probe fails.
 * - `locks`: another writer has locked a key, and commits or rolls back when the fault ends.
 */
export const faultKinds = [
  'slow',
  'transient',
  'lost',
  'dies',
  'down',
  'misconfigured',
  'hangs',
  'unsafe',
  'locks',
] as const;

/** Few keys, so that they collide. Some are equal to a store that folds case, trims, normalizes or uses a prototype. */
const keys = ['a', 'A', 'a ', 'é', 'e\u0301', '', '__proto__', '🌱'];

/** True for one of `weight` draws. */
const oneIn = (weight: number) => fc.oneof({ weight: weight - 1, arbitrary: fc.constant(false) }, fc.constant(true));

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
      does: oneIn(11).map((isCheck) => (isCheck ? 'check' : 'add')),
      /** Null stands for a unique key. */
      key: fc.oneof(
        { weight: lone, arbitrary: fc.constant(null) },
        { weight: 4, arbitrary: fc.constantFrom(...keys.slice(0, shared)) },
      ),
      size: fc.integer({ min: 1, max: 9 }),
      isRefused: oneIn(refused),
    });
    return fc.array(call, { minLength: 1, maxLength: 60, size: 'max' });
  });

/** Draws faults, most of which overlap with the calls. */
function faultsOf(...kinds: (typeof faultKinds)[number][]) {
  const upTo = (max: number) => fc.integer({ min: 1, max });
  const fault = fc.record({
    kind: fc.constantFrom(...kinds),
    at: fc.oneof(fc.nat(20), fc.nat(500)),
    forMs: fc.oneof(upTo(20), upTo(500), upTo(5_000)),
    magnitude: upTo(20),
    key: fc.constantFrom(...keys),
  });
  return fc.array(fault, { minLength: 1, maxLength: 5, size: 'max' });
}

const parts = {
  /** Seeds the latencies, the jitter of pauses, and the fate of hanging operations. */
  seed: fc.nat(),
  limits: fc.record<Required<GroupCommitLimits>>({
    timeoutMs: fc.constantFrom(2_000, 700),
    maxBatch: fc.constantFrom(100, 100, 10, 4, 2, 1),
    maxBatchSize: fc.constantFrom(1_000, 1_000, 20, 5),
    maxWaiting: fc.constantFrom(1_000, 1_000, 10, 2),
    maxWaitMs: fc.constantFrom(2_000, 200, 20),
    maxWrites: fc.constantFrom(1, 2, 3),
  }),
  engine: fc.record({
    fixedMs: fc.oneof(fc.nat(3), fc.nat(10), fc.nat(200)),
    perItemMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(1), fc.nat(40)),
    hasCircuitBreaker: oneIn(5).map((isWithout) => !isWithout),
    /** The outcome of `write` for an item whose key is taken. */
    takenOutcome: fc.constantFrom('conflict', 'exists'),
    /** Whether the engine refuses a single item, or rejects the whole batch. */
    refusesBy: fc.constantFrom('outcome', 'outcome', 'rejection'),
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
    { weight: 4, arbitrary: faultsOf('locks') },
    ...faultKinds.map((kind) => faultsOf(kind)),
    { weight: 3, arbitrary: faultsOf('locks', 'dies', 'transient') },
    { weight: 8, arbitrary: faultsOf(...faultKinds) },
  ),
  /** The time of `close`; null for a close after all faults have ended. */
  closesAt: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.nat(700), fc.nat(3_000)),
};

const ordinary = fc.record(parts);

/** More slow items than the engine writes in time, with room for them in batches and in the queue. */
const overloaded: fc.Arbitrary<Plan> = fc.record({
  ...parts,
  limits: fc.record({
    timeoutMs: fc.constantFrom(2_000, 700),
    maxBatch: fc.constantFrom(100, 10),
    maxBatchSize: fc.constant(1_000),
    maxWaiting: fc.constant(1_000),
    maxWaitMs: fc.constantFrom(400, 200),
    maxWrites: fc.constantFrom(1, 2),
  }),
  engine: fc.record({
    fixedMs: fc.nat(10),
    perItemMs: fc.integer({ min: 1, max: 20 }),
    hasCircuitBreaker: fc.boolean(),
    takenOutcome: fc.constantFrom('conflict', 'exists'),
    refusesBy: fc.constantFrom('outcome', 'rejection'),
  }),
  calls: fc.array(
    fc.record({
      afterMs: fc.nat(5),
      does: fc.constant('add'),
      key: fc.constant(null),
      size: fc.integer({ min: 1, max: 9 }),
      isRefused: fc.constant(false),
    }),
    { minLength: 1, maxLength: 200, size: 'max' },
  ),
  faults: fc.oneof({ weight: 2, arbitrary: fc.constant<Fault[]>([]) }, parts.faults),
});

export const plans: fc.Arbitrary<Plan> = fc.oneof({ weight: 9, arbitrary: ordinary }, overloaded);
