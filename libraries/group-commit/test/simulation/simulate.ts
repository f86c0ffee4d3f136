import type { BatchEngine, ItemSpec } from '../../src/batch-engine.ts';
import { Unavailable } from '../../src/errors.ts';
import type { GroupCommitEvents } from '../../src/events.ts';
import { type GroupCommit, groupCommit } from '../../src/group-commit.ts';
import type { GroupCommitLimits } from '../../src/limits.ts';
import type { Platform } from '../../src/platform.ts';
import { flushPromises, virtualPlatform } from '../virtual-platform.ts';
import type { Plan } from './plan.ts';
import { randomFrom } from './random.ts';
import {
  type Batch,
  type Call,
  callsOf,
  type Item,
  isTransient,
  isUnanswered,
  type Result,
  type Run,
  textsOf,
} from './records.ts';
import { type Observer, simulatedEngine } from './simulated-engine.ts';

/** The dependencies of a group commit. */
export interface Setup {
  readonly engine: Required<BatchEngine<Item, Result>>;
  readonly spec: ItemSpec<Item, string, Result>;
  readonly limits: Required<GroupCommitLimits>;
  readonly events: Required<GroupCommitEvents<Call | undefined>>;
  readonly platform: Platform;
}

/** Creates a group commit or a mutant. */
export type Factory = (parts: Setup) => GroupCommit<Item, Result>;

export const create: Factory = ({ engine, spec, limits, events, platform }) =>
  groupCommit(engine, spec, limits, events, platform);

const spec: Setup['spec'] = {
  keyOf: ({ key }) => key,
  sizeOf: ({ size }) => size,
  snapshot: (item) => ({ ...item }),
  repeat: (result, first) => (result === 'added' ? { exists: first.text } : result),
};

/** Runs a plan and records the calls and their results. All randomness comes from the plan. */
export async function simulate(plan: Plan, factory: Factory = create): Promise<Run> {
  const { random } = Math;
  Math.random = randomFrom(plan.seed + 1);
  try {
    return await run(plan, factory);
  } finally {
    Math.random = random;
  }
}

async function run(plan: Plan, factory: Factory): Promise<Run> {
  const { timeoutMs } = plan.limits;
  const { platform, timers, step } = virtualPlatform();
  const { now, after, sleep } = platform;
  const { observer, events, recordCall, observe, run } = recorder(plan, now);
  const { engine, ...engineState } = simulatedEngine(plan, platform, observer);
  const service = factory({ engine, spec, limits: plan.limits, events, platform });

  async function until(time: number): Promise<void> {
    let isOver = false;
    after(time - now(), () => {
      isOver = true;
    });
    await flushPromises();
    while (!isOver && (await step())) observe();
  }

  async function add(item: Item): Promise<void> {
    const { call, submitted } = recordCall(item);
    const answer = service.submit(item).catch((error: Error) => error);
    submitted();
    // Callers may change their objects after submit.
    item.text = 'changed';
    call.answer = await answer;
    call.answered = now();
    run.trace.push(`${now()} call ${call.at} gets ${JSON.stringify(call.answer)} ${call.answer}`);
  }

  async function check(): Promise<void> {
    const called = now();
    const own = { called, deadline: called + timeoutMs, answered: Infinity, error: undefined, isOpen: false };
    const each = run.checks[run.checks.push(own) - 1] ?? own;
    each.error = await service.check().catch((reason: unknown) => reason);
    each.answered = now();
    each.isOpen = run.states.at(-1)?.state === 'open';
    run.trace.push(`${now()} a check gets ${each.error}`);
  }

  let at = 0;
  for (const { afterMs, does, key, size, isRefused } of plan.calls) {
    at += afterMs;
    after(at, () => {
      const text = `call ${run.calls.length}`;
      void (does === 'check' ? check() : add({ key: key ?? `the key of ${text} alone`, text, size, isRefused }));
    });
  }
  const extra = (text: string): Item => ({ key: text, text, size: 1, isRefused: false });
  if (plan.clients.length > 0) at = Math.max(at, RETURN_UNTIL_MS);
  for (const [client, pauses] of plan.clients.entries()) void returnAfterEach(client, pauses);

  async function returnAfterEach(client: number, pauses: readonly number[]): Promise<void> {
    for (const [round, pauseMs] of pauses.entries()) {
      await sleep(pauseMs);
      if (now() <= RETURN_UNTIL_MS) await add(extra(`client ${client}, round ${round}`));
    }
  }

  const { fixedMs, perItemMs } = plan.engine;
  if (plan.closesAt === null) {
    const lastFault = Math.max(at, ...plan.faults.map((fault) => fault.at + fault.forMs));
    const hangs = plan.faults.some(({ kind }) => kind === 'hangs');
    // The last item may begin a batch that is late.
    const batchMs = Math.min(
      timeoutMs,
      1.5 * (fixedMs + perItemMs * Math.min(plan.limits.maxBatch, plan.calls.length + 1)),
    );
    // The maximum pause between probes. A hanging probe is joined for 5 s.
    await until(lastFault + timeoutMs + 2 * (fixedMs + perItemMs) + batchMs + 502 + (hangs ? 5_500 : 0));
    void add(extra('alive'));
    await until(now() + 1.5 * (fixedMs + perItemMs) + 1);
  } else await until(plan.closesAt);
  run.closing = now();
  void service.close().then(() => {
    run.closed = now();
  });
  void service.close();
  void add(extra('late'));
  void check();
  // Hanging and slow operations end meanwhile.
  await until(now() + timeoutMs + 10_000);
  run.left += timers.length;
  return Object.assign(run, engineState);
}

/** Clients with pauses return until then. */
const RETURN_UNTIL_MS = 500;

/** Records the engine's calls, and tracks the queue and the batches. */
function recorder(plan: Plan, now: () => number) {
  const run: Run = {
    ...{ plan, calls: [], checks: [], batches: [], states: [], wrote: [], probes: [], closes: [], opening: [] },
    ...{ external: [], trace: [], rows: new Map(), lost: new Set(), delivered: {} },
    ...{ closing: Infinity, closed: Infinity, retried: 0, excessWaitMs: 0, left: 0 },
  };
  /** The batches by the texts of their items. An item is written in one batch only. */
  const batchOf = new Map<string, Batch>();
  let waiting = () => 0;
  let queue: Call[] = [];
  let successes = 0;
  let gathersSince: number | undefined;
  /** The longest committed write, and the end of the last one. */
  let longestCommit = 0;
  let lastCommit = 0;

  const note = (event: string) => void run.trace.push(`${now()} ${event}`);
  const isOpen = () => run.states.at(-1)?.state === 'open';
  const queued = () => queue.filter(isUnanswered);
  const isAwaited = ({ calls, requeued }: Batch) =>
    calls.some((call) => isUnanswered(call) && !requeued.has(call) && now() < call.deadline);

  function recordCall(item: Item) {
    const called = now();
    const [waited, oldest] = [waiting(), queued()[0]?.called ?? called];
    const waitedSize = queued()
      .slice(queued().length - waited)
      .reduce((sum, { item: { size } }) => sum + size, 0);
    const call: Call = {
      ...{
        waitedSize,
        at: run.calls.length,
        item: { ...item },
        called,
        deadline: called + plan.limits.timeoutMs,
        waited,
        oldest,
      },
      ...{ isOpen: isOpen(), answered: Infinity, answer: undefined },
    };
    run.calls.push(call);
    return { call, submitted: () => void (waiting() > waited && queue.push(call)) };
  }

  function beginBatch(items: readonly Item[]): Batch {
    const calls = queued().slice(0, queued().length - waiting());
    queue = queued().slice(calls.length);
    const isInFlight = (batch: Batch) => batch.operations.at(-1)?.ended === Infinity && !settles(batch);
    const inFlight = 1 + run.batches.filter((batch) => isInFlight(batch) && isAwaited(batch)).length;
    const batch = {
      ...{ calls, next: queue[0], requeued: new Set<Call>(), operations: [] },
      ...{ successes, isOpen: isOpen(), inFlight },
    };
    run.batches.push(batch);
    for (const { text } of items) batchOf.set(text, batch);
    return batch;
  }

  const settles = ({ operations }: Batch) => operations.at(-1)?.kind === 'settle';

  const observer: Observer = {
    began(operation) {
      const { kind, items } = operation;
      note(`${kind} ${textsOf(items)}`);
      const batch = batchOf.get(items[0]?.text ?? '') ?? beginBatch(items);
      batch.operations.push(operation);
    },
    ended(operation) {
      const { kind, error, ended, outcomes, items, deadline } = operation;
      note(`${kind} ${textsOf(items)} gets ${error ?? JSON.stringify(outcomes)}`);
      const batch = batchOf.get(items[0]?.text ?? '');
      if (!batch) return;
      if (kind === 'write' && outcomes) {
        longestCommit = Math.max(longestCommit, ended - (batch.operations[0]?.began ?? ended));
        lastCommit = ended;
      }
      // The operation is late and has no callers.
      if (ended > deadline) return;
      if (kind === 'write' && outcomes) successes += 1;
      if (kind === 'write' && opens(error) && batch.successes === successes) run.opening.push(operation);
      const repeats = items.flatMap((item, at) => {
        const outcome = outcomes?.[at];
        if (typeof outcome !== 'object' || !('refused' in outcome)) return [];
        return callsOf(batch, item).slice(1).filter(isUnanswered);
      });
      for (const call of repeats) batch.requeued.add(call);
      queue = [...repeats, ...queue].toSorted((a, b) => a.called - b.called);
    },
    probes: () => void run.probes.push(now()),
    closes: () => void run.closes.push(now()),
    wrote: (key, value, called) => void run.external.push({ key, value, called, answered: now(), answer: 'added' }),
  };

  const opens = (error?: Error) => error instanceof Unavailable && !isTransient(error);

  const events: Setup['events'] = {
    watchWaiting(count) {
      waiting = count;
    },
    context: () => run.calls.at(-1),
    wrote: (...write) => void run.wrote.push(write),
    retried() {
      run.retried += 1;
    },
    circuit(state) {
      note(`the circuit is ${state}`);
      const isFailing = run.batches.some((batch) => !lastOf(batch)?.outcomes && batch.successes === successes);
      run.states.push({ state, at: now(), isFailing });
    },
  };

  const lastOf = ({ operations }: Batch) => operations.findLast(({ kind }) => kind === 'write');

  /** Checks after each step how long items have waited without a write in flight. Beyond a quarter of `maxWaitMs` they must not. */
  function observe(): void {
    const gathers = waiting() > 0 && !run.batches.some(isAwaited);
    gathersSince = gathers ? (gathersSince ?? now()) : undefined;
    const until = Math.max(lastCommit + Math.min(longestCommit, plan.limits.maxWaitMs / 4), gathersSince ?? now());
    run.excessWaitMs = Math.max(run.excessWaitMs, now() - until - 1);
    if (run.closed < Infinity) run.left = waiting();
  }

  return { run, observer, events, recordCall, observe };
}
