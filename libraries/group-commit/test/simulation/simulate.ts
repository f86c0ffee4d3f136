import type { BatchEngine, ItemSpec } from '../../src/batch-engine.ts';
import { Unavailable } from '../../src/errors.ts';
import type { GroupCommitEvents } from '../../src/events.ts';
import { type GroupCommit, groupCommit } from '../../src/group-commit.ts';
import type { GroupCommitLimits } from '../../src/limits.ts';
import type { Platform } from '../../src/platform.ts';
import { settled, virtualPlatform } from '../virtual-platform.ts';
import type { Plan } from './plan.ts';
import { randomFrom } from './random.ts';
import {
  type Batch,
  type Call,
  callsOf,
  isTransient,
  isUnanswered,
  type Line,
  type Result,
  type Run,
  textsOf,
} from './records.ts';
import { type Observer, simulatedEngine } from './simulated-engine.ts';

/** What a group commit is made of. */
export interface Parts {
  readonly engine: Required<BatchEngine<Line, Result>>;
  readonly spec: ItemSpec<Line, string, Result>;
  readonly limits: Required<GroupCommitLimits>;
  readonly events: Required<GroupCommitEvents>;
  readonly platform: Platform;
}

/** How a group commit is made: as it is, or as a mutant is. */
export type Make = (parts: Parts) => GroupCommit<Line, Result>;

export const make: Make = ({ engine, spec, limits, events, platform }) =>
  groupCommit(engine, spec, limits, events, platform);

const spec: Parts['spec'] = {
  keyOf: ({ key }) => key,
  sizeOf: ({ size }) => size,
  snapshot: (line) => ({ ...line }),
  repeat: (result, first) => (result === 'added' ? { exists: first.text } : result),
};

/** Runs a plan, and records what the group commit does. Chance is the plan's too. */
export async function simulate(plan: Plan, maker: Make = make): Promise<Run> {
  const { random } = Math;
  Math.random = randomFrom(plan.seed + 1);
  try {
    return await run(plan, maker);
  } finally {
    Math.random = random;
  }
}

async function run(plan: Plan, maker: Make): Promise<Run> {
  const { timeoutMs } = plan.limits;
  const { platform, timers, step } = virtualPlatform();
  const { now, after } = platform;
  const { observer, events, begin, look, run } = recorder(plan, now);
  const { engine, ...engineShows } = simulatedEngine(plan, platform, observer);
  const service = maker({ engine, spec, limits: plan.limits, events, platform });

  async function until(time: number): Promise<void> {
    let isOver = false;
    after(time - now(), () => {
      isOver = true;
    });
    await settled();
    while (!isOver && (await step())) look();
  }

  async function add(line: Line): Promise<void> {
    const { call, submitted } = begin(line);
    const answer = service.submit(line).catch((error: Error) => error);
    submitted();
    // Its object is the caller's again.
    line.text = 'changed';
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
  const extra = (text: string): Line => ({ key: text, text, size: 1, isRefused: false });
  const { fixedMs, perItemMs } = plan.engine;
  if (plan.closesAt === null) {
    const lastFault = Math.max(at, ...plan.faults.map((fault) => fault.at + fault.forMs));
    const hangs = plan.faults.some(({ kind }) => kind === 'hangs');
    // The longest pause between probes; one that hangs is joined for 5 s.
    await until(lastFault + timeoutMs + 2 * (fixedMs + perItemMs) + 502 + (hangs ? 5_500 : 0));
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
  // What hangs, or is slow, ends; nothing that was acknowledged waits for it.
  await until(now() + timeoutMs + 10_000);
  run.left += timers.length;
  return Object.assign(run, engineShows);
}

/** Records what is asked of an engine, and knows who is in the queue and in which batch. */
function recorder(plan: Plan, now: () => number) {
  const run: Run = {
    ...{ plan, calls: [], checks: [], batches: [], states: [], wrote: [], probes: [], closes: [], opening: [] },
    ...{ foreign: [], trace: [], rows: new Map(), lost: new Set(), delivered: {} },
    ...{ closing: Infinity, closed: Infinity, retried: 0, gatheredTooLong: 0, left: 0 },
  };
  /** By the text of each item: none is the first of its key in two batches. */
  const batchOf = new Map<string, Batch>();
  let waiting = () => 0;
  let queue: Call[] = [];
  let successes = 0;
  let gathersSince: number | undefined;
  /** Of writes that have committed: the longest, and when the last one ended. */
  let longestCommit = 0;
  let lastCommit = 0;

  const note = (event: string) => void run.trace.push(`${now()} ${event}`);
  const isOpen = () => run.states.at(-1)?.state === 'open';
  const queued = () => queue.filter(isUnanswered);
  const isAwaited = ({ calls, queuedAgain }: Batch) =>
    calls.some((call) => isUnanswered(call) && !queuedAgain.has(call) && now() < call.deadline);

  function begin(line: Line) {
    const called = now();
    const [waited, oldest] = [waiting(), queued()[0]?.called ?? called];
    const call: Call = {
      ...{ at: run.calls.length, line: { ...line }, called, deadline: called + plan.limits.timeoutMs, waited, oldest },
      ...{ isOpen: isOpen(), answered: Infinity, answer: undefined },
    };
    run.calls.push(call);
    return { call, submitted: () => void (waiting() > waited && queue.push(call)) };
  }

  function beginBatch(items: readonly Line[]): Batch {
    const calls = queued().slice(0, queued().length - waiting());
    queue = queued().slice(calls.length);
    const isInFlight = (batch: Batch) => batch.operations.at(-1)?.ended === Infinity && !settles(batch);
    const inFlight = 1 + run.batches.filter((batch) => isInFlight(batch) && isAwaited(batch)).length;
    const batch = { calls, queuedAgain: new Set<Call>(), operations: [], successes, isOpen: isOpen(), inFlight };
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
      // It is late, and nobody waits for it.
      if (ended > deadline) return;
      if (kind === 'write' && outcomes) successes += 1;
      if (kind === 'write' && opens(error) && batch.successes === successes) run.opening.push(operation);
      for (const [at, item] of items.entries()) {
        const outcome = outcomes?.[at];
        if (typeof outcome !== 'object' || !('refused' in outcome)) continue;
        const repeats = callsOf(batch, item).slice(1).filter(isUnanswered);
        for (const call of repeats) batch.queuedAgain.add(call);
        queue = [...repeats, ...queue].toSorted((a, b) => a.called - b.called);
      }
    },
    probes: () => void run.probes.push(now()),
    closes: () => void run.closes.push(now()),
    wrote: (key, value, called) => void run.foreign.push({ key, value, called, answered: now(), answer: 'added' }),
  };

  const opens = (error?: Error) => error instanceof Unavailable && !isTransient(error);

  const events: Parts['events'] = {
    watchWaiting(count) {
      waiting = count;
    },
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

  /** Whenever time has passed. If nothing is written, items wait for others; where commits take long, they do not. */
  function look(): void {
    const gathers = waiting() > 0 && !run.batches.some(isAwaited);
    gathersSince = gathers ? (gathersSince ?? now()) : undefined;
    const until = Math.max(lastCommit + Math.min(longestCommit, plan.limits.maxWaitMs / 20), gathersSince ?? now());
    run.gatheredTooLong = Math.max(run.gatheredTooLong, now() - until - 1);
    if (run.closed < Infinity) run.left = waiting();
  }

  return { run, observer, events, begin, look };
}
