import { checkHistory, type RecordedAnswer } from '@plant-store/testing';
import { Overloaded } from '../../src/errors.ts';
import {
  type Call,
  findEnd,
  isClosedError,
  isTransient,
  isUnanswered,
  joinTexts,
  NEVER,
  type Run,
  type Write,
} from './records.ts';

/** Reports each promise of a run, and whether it holds. */
type Find = (run: Run, expect: (holds: boolean, promise: string) => void) => void;

/** The oracles of the simulation, by what they show. Each has a mutant that it catches. */
export const oracles = {
  'P1/F2 P1/F3 P3/F2 P3/F6 what is acknowledged is stored, and once'({ calls, external, rows }, expect) {
    const own = calls.map((call) => {
      const { key, text } = call.item;
      return { ...call, key, value: text, answer: known(call), isRetried: call.group.writes.length > 1 };
    });
    for (const fault of checkHistory([...own, ...external], rows)) expect(false, fault);
  },

  'P4/F2 P4/F3 P4/F5 P4/F9 each submit and each check settles in time, whatever breaks'(run, expect) {
    for (const { at, answered, deadline } of run.calls)
      expect(answered <= deadline + 1, `call ${at} settles at ${answered}`);
    for (const { called, answered } of run.checks)
      expect(answered <= called + run.plan.limits.timeoutMs, `the check of ${called} settles at ${answered}`);
  },

  'P4/F3 a caller gets the error of its own item, or why nothing can be stored'(run, expect) {
    for (const call of run.calls) {
      const { at, answer, deadline, answered, called } = call;
      if (!(answer instanceof Error)) continue;
      const isAtOnce = answered === called && (answer instanceof Overloaded || isClosedError(answer));
      const isOfProbe = saidByProbe(run, answer, answered);
      const isBroken = /^a callback is broken|^the engine gave/.test(answer.message);
      const isOver = answered >= deadline && /^(no response within|transient|locked|refused)/.test(answer.message);
      const isOfItem =
        hadError(call, answer) && !isTransient(answer) && (isOwnRefusal(call) || !(answer instanceof RangeError));
      const isKnown = isAtOnce || isOfProbe || isBroken || isOver || isOfItem;
      expect(isKnown, `call ${at} gets ${answer} at ${answered}`);
    }
  },

  'P4/F5 P4/F6 a refused or locked item rejects no other'({ plan, calls }, expect) {
    const { engine, faults, limits } = plan;
    const items = Math.min(calls.length, limits.maxBatch);
    const writeMs = 1.5 * (engine.fixedMs + engine.perItemMs * items) + engine.lockWaitMs;
    if (faults.some(({ kind }) => kind !== 'locks') || 2 * calls.length * writeMs > limits.timeoutMs / 2) return;
    const locked = new Set(faults.map(({ key }) => key));
    for (const { at, item, answer } of calls)
      if (!item.isRefused && !locked.has(item.key)) expect(isStored(answer), `call ${at} gets ${answer}`);
  },

  'P5/F3 an item is refused if it was written alone, and the engine is known to be healthy'(run, expect) {
    for (const call of run.calls.filter(isOwnRefusal)) {
      const { at, answered } = call;
      const { writes } = call.group;
      const isAlone = writes.some(({ items, ended }) => joinTexts(items) === call.item.text && ended <= answered);
      expect(isAlone, `call ${at} is refused at ${answered}`);
      const ends = run.probes.map(findEnd).filter((end) => end <= answered);
      const age = answered - Math.max(...ends);
      const isHealthy = !run.health.findLast((each) => each.at <= answered)?.failure;
      expect(isHealthy && age <= 1_000, `call ${at} is refused ${age} ms after a probe`);
    }
  },

  'P6/F9 at most maxWaiting callers wait, and others are rejected at once if too many or too long'(run, expect) {
    const { maxWaiting, maxWaitMs } = run.plan.limits;
    // What is written again may be before the oldest in the queue.
    const isExact = run.retried === 0 && !run.calls.some(({ item }) => item.isRefused);
    for (const { at, waiting, oldest, called, answer, answered, failure, isLate } of run.calls) {
      if (failure || isLate) continue;
      const isRejected = answer instanceof Overloaded;
      const waitedMs = called - oldest;
      if (isRejected) expect(answered === called, `call ${at} is rejected at ${answered}`);
      if (waiting >= maxWaiting) expect(isRejected, `call ${at} is one too many, and gets ${answer}`);
      else if (isExact) expect(isRejected === waitedMs >= maxWaitMs, `after ${waitedMs} ms, call ${at} gets ${answer}`);
    }
  },

  'P5/F2 P5/F3 P5/F4 P5/F5 after a fault, items are stored within a second and a probe'({ calls }, expect) {
    const alive = calls.find(({ item }) => item.text === 'alive');
    expect(!alive || alive.answer === 'added', `it gets ${alive?.answer}`);
  },

  'P5/F3 while the latest probe has failed, no write begins, and items are rejected at once'(run, expect) {
    for (const { failure, items, began } of run.writes) expect(!failure, `${joinTexts(items)} is written at ${began}`);
    for (const { at, called, failure, answer, answered, isLate } of run.calls)
      if (failure && !isLate)
        expect(saidByProbe(run, answer, called) && answered === called, `call ${at} gets ${answer}`);
  },

  'P5/F3 one probe at a time runs each second, while items arrive or it fails'(run, expect) {
    const { calls, probes, health, closing } = run;
    const arrivals = calls.filter(({ isLate }) => !isLate).map(({ called }) => called);
    for (const [at, probe] of probes.entries()) {
      const end = findEnd(probe);
      const { began: next = NEVER } = probes[at + 1] ?? {};
      expect(next >= end, `a probe begins at ${next}, and another one is in flight until ${end}`);
      const isBusy = arrivals.some((called) => called > probe.began && called <= end + 1_000);
      const isFailing = health.findLast((each) => each.at <= end)?.failure !== undefined;
      const isDue = (isBusy || isFailing) && closing > end + 1_000;
      expect(!isDue || next <= end + 1_000, `no probe begins for a second after ${end}`);
      const hasPassed = !probe.error && probe.ended === end && closing > end;
      expect(
        !hasPassed || next >= Math.min(end + 1_000, closing),
        `a probe begins at ${next}, and one ended at ${end}`,
      );
    }
    for (const called of arrivals) {
      const isSoon = probes.some((probe) => probe.began <= called && findEnd(probe) >= called - 1_000);
      expect(isSoon, `no probe begins with an item at ${called}`);
    }
  },

  'P5/F3 an idle engine that is checked each second is probed at most seven times a minute'(run, expect) {
    const { idleFrom, probes, closing } = run;
    const count = probes.filter(({ began }) => began >= idleFrom && began < closing).length;
    expect(idleFrom === NEVER || (count >= 5 && count <= 7), `it is probed ${count} times`);
  },

  'P5/F2 P5/F3 a check gets the result of the latest probe'({ checks, probes }, expect) {
    const ends = probes.map(findEnd);
    for (const { called, answered, error, failure, isProbing, isLate } of checks) {
      if (isLate || isBrokenCallback(error)) continue;
      const isRight = failure ? saidByProbe({ probes }, error, answered) : error === undefined;
      expect(isRight, `the check of ${called} gets ${error}, and not ${failure}`);
      const age = answered - Math.max(...ends.filter((end) => end <= answered));
      expect(age <= (isProbing ? 1_000 : 10_000), `the check of ${called} gets a result of ${age} ms before`);
    }
  },

  'P9/F1 P9/F3 close settles all callers, and leaves nothing behind'(run, expect) {
    const { calls, checks, writes, probes, closes, closing, closed, left } = run;
    const isEarly = ({ isLate }: { readonly isLate: boolean }) => !isLate;
    const settled = Math.max(closing, ...calls.filter(isEarly).map(({ answered }) => answered));
    const [end = NEVER] = closes;
    expect(closes.length === 1 && closed < NEVER, `the engine is closed ${closes.length} times, by ${closed}`);
    expect(end >= settled, `the engine is closed at ${end}, and all is settled at ${settled}`);
    const inTime = Math.max(settled, ...probes.map(findEnd));
    expect(end <= inTime, `the engine is closed at ${end}, and nothing waits since ${inTime}`);
    const last = Math.max(...[...writes, ...probes].map(({ began }) => began));
    expect(last <= end, `the engine is called at ${last}, and closed at ${end}`);
    for (const { answer, answered, called } of calls.filter(({ isLate }) => isLate))
      expect(isClosedError(answer) && answered === called, `a later call gets ${answer}`);
    for (const { error } of checks.filter(({ isLate }) => isLate))
      expect(isClosedError(error), `a later check gets ${error}`);
    expect(left === 0, `${left} timers are left`);
  },

  'P4/F9 batches have the oldest items, within the limits'({ plan, writes }, expect) {
    const { maxBatch, maxBatchSize, maxWrites } = plan.limits;
    for (const { items, deadline, latest, isPassing, inFlight } of writes) {
      const text = joinTexts(items);
      const size = items.reduce((sum, item) => sum + item.size, 0);
      const isWithin = items.length <= maxBatch && (items.length === 1 || size <= maxBatchSize);
      expect(isWithin, `${text} is written, of the size ${size}`);
      expect(new Set(items.map(({ key }) => key)).size === items.length, `${text} has equal keys`);
      expect(!isPassing, `${text} is written before an older item`);
      expect(deadline === latest, `${text} has the deadline ${deadline}, and somebody waits until ${latest}`);
      expect(inFlight <= maxWrites, `${text} is written as one of ${inFlight}`);
    }
  },

  'P4/F5 P4/F9 no item waits for 20 ms while another write may begin, nor while there is none'({ idleMs }, expect) {
    expect(idleMs <= 1.1, `an item waits for ${idleMs} ms in vain`);
  },

  'P4/F2 P4/F5 short faults give nobody an unknown outcome'({ plan, calls, health }, expect) {
    const { faults, limits, engine } = plan;
    const isMild = faults.every(({ kind }) => ['transient', 'lost', 'locks', 'tableLocked'].includes(kind));
    const faultMs = sum(faults.map(({ forMs }) => forMs));
    const slowest = (engine.fixedMs + engine.perItemMs + engine.lockWaitMs) * 1.5 * (2 * calls.length + 8);
    if (!isMild || faultMs > limits.timeoutMs / 5 || slowest > limits.timeoutMs / 2) return;
    for (const { at, answer, item } of calls)
      expect(item.isRefused || isStored(answer), `call ${at} gets ${answer} after a short fault`);
    expect(health.length <= 1, 'the engine becomes unhealthy after a short fault');
  },

  'P4/F3 metrics count each item of each write once, each caller, and each change of health'(run, expect) {
    const { plan, writes, wrote, health, retried, miscounted } = run;
    const hasChanged = (at: number) => at === 0 || !health[at]?.failure !== !health[at - 1]?.failure;
    expect(
      health.every((_, at) => hasChanged(at)),
      'the health has not changed',
    );
    expect(miscounted === 0, `${miscounted} callers too many or too few`);
    const isRetried = writes.some(({ groups }) => groups.some((group) => isTransient(group.writes.at(-2)?.error)));
    expect(!isRetried || retried > 0, 'no retry is counted');
    // An event that throws ends the count, and a write that ends at its deadline may count as either.
    if (plan.faults.some(({ kind }) => kind === 'breaks') || writes.some(({ ended, deadline }) => ended === deadline))
      return;
    const count = (of: string) => sum(wrote.map(([outcome, items]) => (outcome === of ? items : 0)));
    const done = sum(writes.map(countDone));
    const written = sum(writes.map(({ items }) => items.length));
    expect(count('done') === done, `${done} items are done, and ${count('done')} are counted`);
    expect(count('failed') === written - done, `${written - done} items failed, and ${count('failed')} are counted`);
  },
} as const satisfies Record<string, Find>;

export type Oracle = keyof typeof oracles;

/** The promises that do not hold in a run. */
export function findViolations(run: Run): readonly { readonly oracle: string; readonly promise: string }[] {
  const all: { oracle: string; promise: string }[] = [];
  for (const [oracle, find] of Object.entries<Find>(oracles))
    find(run, (holds, promise) => void (holds || all.push({ oracle, promise })));
  return all;
}

/** What a caller knows of its item. */
function known(call: Call): RecordedAnswer<string> {
  const { answer, item, group } = call;
  if (answer !== undefined && !(answer instanceof Error)) return answer;
  const isWritten = group.writes.some(({ items }) => items.some(({ text }) => text === item.text));
  return isUnanswered(call) || (isWritten && !isOwnRefusal(call)) ? 'unknown' : 'refused';
}

/** Whether an item is stored, or was not accepted. */
const isStored = (answer: Call['answer']) =>
  !(answer instanceof Error) || answer instanceof Overloaded || isClosedError(answer);

const isOwnRefusal = ({ item, answer }: Call) =>
  answer instanceof RangeError && answer.message === `refused ${item.text}`;

const isBrokenCallback = (error: unknown) => error instanceof TypeError;

/** Whether an attempt to write this item, or an equal one before it, had this error. */
const hadError = ({ group }: Call, answer: Error) =>
  group.writes.some(({ error, results = [] }) => error === answer || results.includes(answer));

/** Whether it is the error of a probe that ended by then. */
const saidByProbe = ({ probes }: Pick<Run, 'probes'>, error: unknown, by: number) =>
  probes.some((probe) => {
    const end = findEnd(probe);
    const isOver = end === probe.deadline && `${error}`.includes('no response within');
    return end <= by && (isOver || isBrokenCallback(error) || (probe.ended === end && probe.error === error));
  });

/** The items of a write that are done in time. */
function countDone({ ended, deadline, results = [], items, error }: Write): number {
  const isRefused = (each: unknown) => items.length === 1 && each instanceof RangeError;
  if (ended > deadline) return 0;
  if (isRefused(error)) return 1;
  if (results.length !== items.length) return 0;
  return results.filter((each) => !(each instanceof Error) || isRefused(each)).length;
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
