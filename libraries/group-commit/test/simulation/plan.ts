import fc from 'fast-check';

type Drawn<Drawing> = Drawing extends fc.Arbitrary<infer Value> ? Value : never;

/** What one run of the simulation does. It is short to read when fast-check has shrunk it. */
export type Plan = Drawn<typeof plans>;
export type Fault = Drawn<ReturnType<typeof faultsOf>>[number];

/**
 * - `slow`: each write takes `howMuch` times 100 ms.
 * - `transient`: so many operations fail, and succeed when they are tried again at once; nothing was written.
 * - `lost`: the same, but what was written is there.
 * - `dies`: writes fail in the middle of their commit, of which some are there.
 * - `down`, `misconfigured`: everything fails.
 * - `hangs`: what begins now goes on when the fault is over, fails then, or never ends.
 * - `unsafe`: the probe says so, and nothing else.
 * - `locks`: somebody else has written a key, and commits or rolls back at the end.
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

/** Few, so that they meet; some are the same to a store that folds, trims or has a prototype. */
const keys = ['a', 'A', 'a ', 'é', 'e\u0301', '', '__proto__', '🌱'];

/** Of so many one. */
const rarely = (weight: number) => fc.oneof({ weight: weight - 1, arbitrary: fc.constant(false) }, fc.constant(true));

/** Bursts, and calls that come one by one, of keys that meet or do not, and of items that are refused or are not. */
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
      does: rarely(11).map((isCheck) => (isCheck ? 'check' : 'add')),
      /** Null: a key that no other call has. */
      key: fc.oneof(
        { weight: lone, arbitrary: fc.constant(null) },
        { weight: 4, arbitrary: fc.constantFrom(...keys.slice(0, shared)) },
      ),
      size: fc.integer({ min: 1, max: 9 }),
      isRefused: rarely(refused),
    });
    return fc.array(call, { minLength: 1, maxLength: 60, size: 'max' });
  });

/** Most meet the calls, and some last. */
function faultsOf(...kinds: (typeof faultKinds)[number][]) {
  const upTo = (max: number) => fc.integer({ min: 1, max });
  const fault = fc.record({
    kind: fc.constantFrom(...kinds),
    at: fc.oneof(fc.nat(20), fc.nat(500)),
    forMs: fc.oneof(upTo(20), upTo(500), upTo(5_000)),
    howMuch: upTo(20),
    key: fc.constantFrom(...keys),
  });
  return fc.array(fault, { minLength: 1, maxLength: 5, size: 'max' });
}

export const plans = fc.record({
  /** Of the latencies, the jitter of pauses, and what becomes of what hangs. */
  seed: fc.nat(),
  limits: fc.record({
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
    hasCircuitBreaker: rarely(5).map((isWithout) => !isWithout),
    /** What its `write` says of an item whose key is taken. */
    saysOfTaken: fc.constantFrom('conflict', 'exists'),
    /** Whether it refuses an item by its outcome, or rejects the whole batch. */
    refusesBy: fc.constantFrom('outcome', 'outcome', 'rejection'),
  }),
  calls,
  // Some promises are exact only where a single kind of fault is there, or none.
  faults: fc.oneof(
    fc.constant<Fault[]>([]),
    { weight: 4, arbitrary: faultsOf('locks') },
    ...faultKinds.map((kind) => faultsOf(kind)),
    { weight: 3, arbitrary: faultsOf('locks', 'dies', 'transient') },
    { weight: 8, arbitrary: faultsOf(...faultKinds) },
  ),
  /** When it is closed, whatever is under way then; null when all faults are long over. */
  closesAt: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.nat(700), fc.nat(3_000)),
});
