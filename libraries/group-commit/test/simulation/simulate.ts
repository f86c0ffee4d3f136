import type { BatchEngine, ItemSpec } from '../../src/batch-engine.ts';
import type { GroupCommitEvents } from '../../src/events.ts';
import { groupCommit } from '../../src/group-commit.ts';
import { flushPromises, virtualPlatform } from '../virtual-platform.ts';
import type { Plan } from './plan.ts';
import { createRandom } from './random.ts';
import {
  type Call,
  findEnd,
  type Group,
  type Item,
  isAwaited,
  isUnanswered,
  joinTexts,
  NEVER,
  type Probe,
  type Result,
  type Run,
  type Write,
} from './records.ts';
import { simulatedEngine } from './simulated-engine.ts';

/** The library, or a mutant of it. */
export type Library = typeof groupCommit;

/** Runs a plan and records the calls and their results. All randomness comes from the plan. */
export async function simulate(plan: Plan, library: Library = groupCommit): Promise<Run> {
  const { random } = Math;
  Math.random = createRandom(plan.seed + 1);
  try {
    return await runPlan(plan, library);
  } finally {
    Math.random = random;
  }
}

async function runPlan(plan: Plan, library: Library): Promise<Run> {
  const { timeoutMs } = plan.limits;
  const { platform, sleep, timers, step } = virtualPlatform();
  const { now, after } = platform;
  const recorder = record(plan, now);
  const { run } = recorder;
  const { engine, callBack, ...state } = simulatedEngine(plan, { now, after, sleep }, (key, value, called) => {
    run.external.push({ key, value, called, answered: now(), answer: 'added' });
  });
  const spec: ItemSpec<Item, string, Result> = {
    toKey: ({ key }) => key,
    measure: ({ size }) => size,
    snapshot: (item) => ({ ...item }),
    repeat(result, first) {
      callBack(1);
      return result === 'added' ? { exists: first.text } : result;
    },
  };
  const service = library(recorder.observed(engine), spec, plan.limits, recorder.events(callBack), platform);

  async function until(time: number): Promise<void> {
    let isOver = false;
    after(Math.max(0, time - now()), () => {
      isOver = true;
    });
    await flushPromises();
    while (!isOver && (await step())) recorder.observe();
  }

  async function add(item: Item): Promise<void> {
    const call = recorder.begin(item);
    const answer = service.submit(item).catch((error: Error) => error);
    // Callers may change their objects after submit.
    item.text = 'changed';
    call.answer = await answer;
    call.answered = now();
    recorder.note(`call ${call.at} gets ${JSON.stringify(call.answer)} ${call.answer}`);
  }

  async function check(): Promise<void> {
    const own = { called: now(), answered: NEVER, error: undefined, failure: undefined, ...recorder.state() };
    const each = run.checks[run.checks.push(own) - 1] ?? own;
    each.error = await service.check().then(
      () => undefined,
      (error) => error,
    );
    each.answered = now();
    each.failure = recorder.failure();
    recorder.note(`a check gets ${each.error}`);
  }

  let at = 0;
  for (const { afterMs, does, key, size, isRefused } of plan.calls) {
    at += afterMs;
    after(at, () => {
      const text = `call ${run.calls.length}`;
      void (does === 'check' ? check() : add({ key: key ?? `the key of ${text} alone`, text, size, isRefused }));
    });
  }
  for (const [client, pauses] of plan.clients.entries()) void returnAfterEach(client, pauses);

  async function returnAfterEach(client: number, pauses: readonly number[]): Promise<void> {
    for (const [round, pauseMs] of pauses.entries()) {
      await sleep(pauseMs);
      if (now() <= RETURN_UNTIL_MS) await add(ordinary(`client ${client}, round ${round}`));
    }
  }

  if (plan.closesAt === null) {
    const lastFault = Math.max(0, ...plan.faults.map((fault) => fault.at + fault.forMs));
    // Whoever waits may still be served, and what hangs or is slow is waited for.
    const lastCall = Math.max(at, plan.clients.length > 0 ? RETURN_UNTIL_MS : 0) + timeoutMs + 2;
    const takesLong = plan.faults.some(({ kind }) => ['hangs', 'slow', 'slowProbe'].includes(kind));
    await until(Math.max(lastCall, lastFault + PROBE_WITHIN_MS + (takesLong ? timeoutMs : 0)));
    void add(ordinary('alive'));
    await until(now() + 1.5 * (plan.engine.fixedMs + plan.engine.perItemMs) + 1);
    if (plan.isIdleInTheEnd) await idle();
  } else await until(plan.closesAt);
  run.closing = now();
  void service.close().then(() => {
    run.closed = now();
  });
  void service.close();
  void add(ordinary('late'));
  void check();
  // Hanging and slow operations end meanwhile.
  await until(now() + timeoutMs + 10_000);
  run.left = timers.length;
  return Object.assign(run, state);

  async function idle(): Promise<void> {
    await until(now() + 3_000);
    run.idleFrom = now();
    for (let second = 0; second < 60; second += 1) {
      void check();
      // As imprecise as a real timer.
      await until(now() + 995 + 10 * Math.random());
    }
  }
}

const ordinary = (text: string): Item => ({ key: text, text, size: 1, isRefused: false });

/** Clients with pauses return until then. */
const RETURN_UNTIL_MS = 500;

/** When a probe has ended after a fault at the latest: a second, and what a probe takes. */
const PROBE_WITHIN_MS = 1_030;

/** How long items may wait beside fewer writes than there may be. */
const HOLD_MS = 20;

/** Records what the clients and the engine see. */
function record(plan: Plan, now: () => number) {
  const run: Run = {
    ...{ plan, calls: [], checks: [], writes: [], probes: [], closes: [], wrote: [], health: [], retried: 0 },
    ...{ miscounted: 0, idleMs: 0, closing: NEVER, closed: NEVER, idleFrom: NEVER, left: 0 },
    ...{ external: [], trace: [], rows: new Map(), delivered: {} },
  };
  const unanswered = new Set<Call>();
  let countWaiting = () => 0;
  const failure = () => run.health.at(-1)?.failure;
  const note = (event: string) => void run.trace.push(`${now()} ${event}`);
  const waiting = (): readonly Call[] => {
    for (const call of unanswered) if (!isUnanswered(call)) unanswered.delete(call);
    return [...unanswered];
  };
  /** The first calls of groups that have not been written. */
  const unwritten = () =>
    waiting().filter((call) => call.group.writes.length === 0 && call.group.calls[0] === call && now() < call.deadline);

  function begin(item: Item): Call {
    const called = now();
    const same = waiting().find((call) => call.item.key === item.key);
    const group: Group = same?.group ?? { calls: [], writes: [] };
    const call: Call = {
      ...{ at: run.calls.length, item: { ...item }, called, deadline: called + plan.limits.timeoutMs, group },
      ...{ waiting: waiting().length, oldest: unwritten()[0]?.called ?? called, failure: failure() },
      ...{ isLate: run.closing < NEVER, answered: NEVER, answer: undefined },
    };
    group.calls.push(call);
    run.calls.push(call);
    unanswered.add(call);
    return call;
  }

  /** What the engine said of an item in a write. */
  const said = ({ error, results = [], groups }: Write, group: Group | undefined) =>
    (error ?? results[groups.indexOf(group as Group)]) as Error | undefined;
  const before = ([group]: readonly Group[]) => group?.writes.findLast(({ ended }) => ended <= now());

  /** The batch that is halved by a write of these items. */
  function findWhole(groups: readonly Group[]): Write | undefined {
    const last = before(groups);
    const isPart = last && last.groups.length > groups.length && groups.every((group) => last.groups.includes(group));
    return isPart && /^(refused|locked)/.test(`${said(last, groups[0])?.message}`) ? (last.whole ?? last) : undefined;
  }

  /** Whether the write is one of the lane of locked items. */
  function isInLane({ groups, began }: Write): boolean {
    const last = groups[0]?.writes.findLast(({ ended }) => ended <= began);
    return groups.length === 1 && last?.groups.length === 1 && said(last, groups[0])?.message === 'locked';
  }

  const isInFlight = (write: Write) =>
    write.ended === NEVER && now() < write.deadline && isAwaited(write) && !isInLane(write);
  const countInFlight = () => new Set(run.writes.filter(isInFlight).map((write) => write.whole ?? write)).size;

  function observed(engine: Required<BatchEngine<Item, Result>>): Required<BatchEngine<Item, Result>> {
    return {
      ...engine,
      async write(items, deadline) {
        const texts = new Set(items.map(({ text }) => text));
        const groups = items.map(({ text }) => run.calls.find(({ item }) => item.text === text)?.group as Group);
        const latest = Math.max(
          ...groups.flatMap(({ calls }) => calls.filter(isUnanswered).map((call) => call.deadline)),
        );
        const youngest = Math.max(
          ...groups.map(({ calls, writes }) => (writes.length === 0 ? (calls[0]?.at ?? 0) : -1)),
        );
        const isPassing = unwritten().some(({ at, item }) => at < youngest && !texts.has(item.text));
        const write: Write = {
          ...{ items: [...items], groups, began: now(), deadline, latest, isPassing, failure: failure() },
          ...{ whole: findWhole(groups), inFlight: 0, ended: NEVER },
        };
        run.writes.push(write);
        write.inFlight = countInFlight();
        for (const group of groups) group.writes.push(write);
        note(`write ${joinTexts(items)}`);
        return noteEnd(write, engine.write(items, deadline), (results) => Object.assign(write, { results }));
      },
      probe(deadline) {
        const probe: Probe = { began: now(), deadline, ended: NEVER };
        run.probes.push(probe);
        return noteEnd(probe, engine.probe(deadline), () => {});
      },
      async close() {
        run.closes.push(now());
        await engine.close();
      },
    };
  }

  async function noteEnd<T>(operation: Write | Probe, work: Promise<T>, onResult: (result: T) => void): Promise<T> {
    try {
      const result = await work;
      onResult(result);
      return result;
    } catch (error) {
      operation.error = error as Error;
      throw error;
    } finally {
      operation.ended = now();
      note(`${'items' in operation ? `write ${joinTexts(operation.items)}` : 'probe'} ends: ${operation.error}`);
    }
  }

  const events = (callBack: (which: number) => void): Required<GroupCommitEvents> => ({
    watchWaiting(count) {
      countWaiting = count;
    },
    wrote(...write) {
      run.wrote.push(write);
      callBack(2);
    },
    retried() {
      run.retried += 1;
      callBack(3);
    },
    health(found) {
      run.health.push({ at: now(), failure: found });
      note(`healthy unless ${found}`);
      callBack(4);
    },
  });

  /** Since when another write may begin, and since when nothing is being written. */
  let freeSince: number | undefined;
  let aloneSince: number | undefined;

  /** Looks after each step at what waits. */
  function observe(): void {
    run.miscounted = Math.max(run.miscounted, Math.abs(waiting().length - countWaiting()));
    const maxInFlight = failure() ? 0 : plan.limits.maxWrites;
    const inFlight = countInFlight();
    freeSince = inFlight < maxInFlight ? (freeSince ?? now()) : undefined;
    aloneSince = inFlight === 0 && maxInFlight > 0 ? (aloneSince ?? now()) : undefined;
    const [oldest] = unwritten();
    if (!oldest) return;
    const dueAt = Math.min(
      Math.max(freeSince ?? NEVER, oldest.called + HOLD_MS),
      Math.max(aloneSince ?? NEVER, oldest.called),
    );
    run.idleMs = Math.max(run.idleMs, now() - dueAt);
  }

  const state = () => ({
    isProbing: run.probes.some((probe) => now() < findEnd(probe)),
    isLate: run.closing < NEVER,
  });
  return { run, begin, observed, events, observe, note, failure, state };
}
