import { Overloaded } from '../../src/errors.ts';
import type { Plan } from './plan.ts';
import { type Batch, type Call, type Operation, type Run, settlesOf, writesOf } from './records.ts';

/** Returns whether a run reached a state. */
type Reaches = (run: Run) => boolean | undefined;

/** The states that matter inside a group commit, as its clients and its engine see them. A simulation has to reach each of them. */
const states = {
  'two writes in flight': ({ batches }) => batches.some(({ inFlight }) => inFlight > 1),
  'a late write': ({ batches }) => batches.flatMap(writesOf).some(isLate),
  'a late write that stores an item': ({ batches }) =>
    batches.flatMap(writesOf).some((write) => isLate(write) && write.outcomes?.some(isAdded)),
  'a write beside a late one': ({ batches }) =>
    batches.some(({ operations: [first] }) =>
      batches.flatMap(writesOf).some(({ deadline, ended }) => first && deadline < first.began && first.began < ended),
    ),
  'a retry of what is stored': ({ batches, lost }) =>
    batches.some((batch) => writesOf(batch).length > 1 && batch.calls.some(({ item }) => lost.has(item.text))),
  'a settled conflict': ({ batches }) =>
    batches.flatMap(settlesOf).some(({ outcomes }) => outcomes?.some((outcome) => outcome !== 'conflict')),
  'a conflict that is settled again': ({ batches }) => batches.some((batch) => settlesOf(batch).length > 1),
  'a write beside a settle': ({ batches }) =>
    batches.flatMap(settlesOf).some(({ began, ended }) => batches.some(beginsBetween(began, ended))),
  'a settled duplicate': ({ batches }) =>
    batches.some(({ calls, requeued, operations: [first] }) =>
      calls.some((call) => isDone(call) && !requeued.has(call) && !first?.items.some(isOf(call))),
    ),
  'a duplicate of a refused item': ({ batches }) => batches.some(({ requeued }) => requeued.size > 0),
  'a batch rejected for one item': ({ batches }) =>
    batches.flatMap(writesOf).some(({ items, error }) => items.length > 1 && error instanceof RangeError),
  'items that wait for others': ({ batches }) =>
    batches.some(({ calls: [oldest], operations: [first] }) => {
      if (!oldest || !first || first.began - oldest.called <= 1) return false;
      return !batches.some(({ operations }) =>
        operations.some(({ began, ended }) => began < first.began && ended >= oldest.called),
      );
    }),
  'a full batch': ({ batches, plan }) => batches.some((batch) => limitOf(batch, plan.limits) === 'items'),
  'a batch of the largest size': ({ batches, plan }) => batches.some((batch) => limitOf(batch, plan.limits) === 'size'),
  // Several writes may share the items, which are then fewer as well.
  'a shrunken batch': ({ batches, plan: { limits } }) =>
    limits.maxWrites === 1 && batches.some((batch) => limitOf(batch, limits) === 'time'),
  'a full queue': (run) => refusals(run).includes('full'),
  'a queue that takes too long': (run) => refusals(run).includes('slow'),
  'a shrunken queue': (run) => refusals(run).includes('shrunken'),
  'no room for a large item': (run) => refusals(run).includes('large'),
  'a time-out in the queue': ({ calls, batches, closing }) =>
    calls.some(
      (call) =>
        call.answered >= call.deadline && call.deadline < closing && !batches.some(({ calls }) => calls.includes(call)),
    ),
  'an open circuit': ({ states }) => states.some(({ state }) => state === 'open'),
  'a circuit that closes again': ({ states, closing }) =>
    states.slice(1).some(({ state, at }) => state === 'closed' && at < closing),
  'a close with items in flight and in the queue': ({ calls, batches, closing }) => {
    const waits = calls.filter(({ called, answered }) => called < closing && answered > closing);
    const began = (call: Call) => batches.find(({ calls }) => calls.includes(call))?.operations[0]?.began ?? Infinity;
    return waits.some((call) => began(call) < closing) && waits.some((call) => began(call) >= closing);
  },
} as const satisfies Record<string, Reaches>;

export type State = keyof typeof states;

export const stateNames = Object.keys(states) as readonly State[];

/** The states that a run reached. */
export const statesIn = (run: Run): readonly State[] => stateNames.filter((name) => states[name](run));

const limited = (limits: Partial<Plan['limits']>) => (plan: Plan) => ({
  ...plan,
  limits: { ...plan.limits, ...limits },
});
const calm = (plan: Plan): Plan => ({ ...plan, faults: [], engine: { ...plan.engine, fixedMs: 1, perItemMs: 0 } });
const withoutConflicts = (plan: Plan): Plan => ({
  ...plan,
  engine: { ...plan.engine, takenOutcome: 'exists' },
  faults: plan.faults.filter(({ kind }) => kind !== 'locks'),
});
const withoutRefused = (plan: Plan): Plan => ({
  ...plan,
  calls: plan.calls.map((call) => ({ ...call, isRefused: false })),
});
const withoutCircuit = (plan: Plan): Plan => ({ ...plan, engine: { ...plan.engine, hasCircuitBreaker: false } });
const patient = limited({ maxWaitMs: 1_000_000 });
const roomy = limited({ maxBatchSize: 1_000_000 });

/** Changes a plan so that no run of it reaches the state. */
export const avoiding: Readonly<Record<State, (plan: Plan) => Plan>> = {
  'two writes in flight': limited({ maxWrites: 1 }),
  'a late write': calm,
  'a late write that stores an item': calm,
  'a write beside a late one': calm,
  'a retry of what is stored': calm,
  'a settled conflict': withoutConflicts,
  'a conflict that is settled again': withoutConflicts,
  'a write beside a settle': withoutConflicts,
  'a settled duplicate': limited({ maxBatch: 1 }),
  'a duplicate of a refused item': withoutRefused,
  'a batch rejected for one item': withoutRefused,
  // Nothing waits for others if a commit takes a quarter of this.
  'items that wait for others': (plan) => limited({ maxWaitMs: 1 })(calm(plan)),
  'a full batch': limited({ maxBatch: 1_000 }),
  'a batch of the largest size': roomy,
  'a shrunken batch': patient,
  'a full queue': limited({ maxWaiting: 1_000 }),
  'a queue that takes too long': patient,
  'a shrunken queue': patient,
  'no room for a large item': roomy,
  'a time-out in the queue': calm,
  'an open circuit': withoutCircuit,
  'a circuit that closes again': withoutCircuit,
  'a close with items in flight and in the queue': (plan) => ({ ...plan, closesAt: null }),
};

const isLate = ({ ended, deadline }: Operation) => ended > deadline;

const isAdded = (outcome: unknown) => typeof outcome === 'object' && JSON.stringify(outcome) === '{"done":"added"}';

const isDone = ({ answer }: Call) => answer !== undefined && !(answer instanceof Error);

const isOf =
  ({ item }: Call) =>
  ({ text }: { readonly text: string }) =>
    text === item.text;

const beginsBetween =
  (from: number, to: number) =>
  ({ operations: [first] }: Batch) =>
    first !== undefined && first.began > from && first.began < to;

/** What kept the next item of the queue out of a batch. Undefined if the queue was then empty. */
function limitOf(
  { calls, next }: Batch,
  { maxBatch, maxBatchSize }: Plan['limits'],
): 'items' | 'size' | 'time' | undefined {
  if (!next) return undefined;
  if (calls.length === maxBatch) return 'items';
  const size = [...calls, next].reduce((sum, { item }) => sum + item.size, 0);
  return size > maxBatchSize ? 'size' : 'time';
}

/** Why the queue refused calls. */
function refusals({ plan: { limits }, calls }: Run): readonly ('full' | 'slow' | 'shrunken' | 'large')[] {
  const { maxBatch, maxBatchSize, maxWaiting, maxWaitMs } = limits;
  return calls
    .filter(({ answer }) => answer instanceof Overloaded)
    .map(({ waited, called, oldest, item }) => {
      if (waited >= maxWaiting) return 'full';
      if (called - oldest >= maxWaitMs) return 'slow';
      return item.size * maxBatch > maxBatchSize ? 'large' : 'shrunken';
    });
}
