import { checkHistory, type RecordedAnswer } from '@plant-store/testing';
import { Misconfigured, Overloaded, Unavailable, Unsafe } from '../../src/errors.ts';
import {
  type Batch,
  type Call,
  type Check,
  callersOf,
  callsOf,
  type Item,
  isCircuitOpen,
  isClosedError,
  isRefusedAtOnce,
  isTransient,
  type Operation,
  type Run,
  textsOf,
  writesOf,
} from './records.ts';

/** Reports each promise of a run, and whether it holds. */
type Find = (run: Run, broken: (holds: boolean, promise: string) => void) => void;

/** The oracles of the simulation, one for each promise. Each has a mutant that no other oracle catches. */
export const oracles = {
  admission({ plan, calls, batches, closing }, expect) {
    const { maxBatch, maxBatchSize, maxWaiting, maxWaitMs, maxWrites } = plan.limits;
    for (const { at, item, called, waited, waitedSize, oldest, isOpen, answer } of calls) {
      if (isOpen || called >= closing) continue;
      const age = called - oldest;
      // Slow batches, retries included, may have lowered the queue limit, which is twice the items in flight.
      const isSlow = (batch: Batch) => {
        const [{ items, began } = none] = batch.operations;
        const tookMs = Math.min(writesOf(batch).at(-1)?.ended ?? 0, called) - began;
        return items.length >= 8 && tookMs > maxWaitMs / 2;
      };
      const mayBeSmall = waited >= 2 * maxWrites * 8 && batches.some(isSlow);
      // A large item may be refused if a write has shown that the queue takes too long. One mutant has a larger maxBatch.
      const isLarge = item.size * (maxBatch + 1) > maxBatchSize;
      const least = Math.max((waitedSize + item.size) / maxBatchSize, (waited + 1) / Math.min(maxBatch, 8));
      const mayBeLate = batches.some(({ operations: [first = none, ...retries] }) =>
        [first, ...retries].some(({ ended }) => {
          const queueMs = (Math.ceil(least) * (ended - first.began)) / maxWrites;
          return isLarge && waited > 0 && ended <= called && queueMs > maxWaitMs / 2;
        }),
      );
      const isLate = age >= maxWaitMs;
      const isRefused = answer instanceof Overloaded;
      const isRight = isRefused ? isLate || mayBeSmall || mayBeLate : !isLate;
      if (waited >= maxWaiting) expect(isRefused, `a full queue refuses call ${at}`);
      else if (Math.abs(age - maxWaitMs) > 1e-6)
        expect(isRight, `call ${at} gets ${answer}, the oldest is ${age} ms old`);
    }
  },

  answers(run, expect) {
    for (const batch of run.batches)
      for (const { items, outcomes, error, ended, deadline } of batch.operations) {
        // The operation was late and has no callers, or it is retried.
        if (ended > deadline - 1 || isTransient(error)) continue;
        for (const [at, item] of items.entries()) {
          if (outcomes?.[at] === 'conflict') continue;
          for (const call of callsOf(batch, item)) {
            if (call.answered < ended) continue;
            expect(call.answered === ended, `call ${call.at} has its answer once its outcome is known`);
            const isTheirs = !error || call.answer === error || call.deadline <= call.answered;
            expect(isTheirs, `call ${call.at} gets ${call.answer} instead of ${error}`);
          }
        }
      }
    for (const call of run.calls) if (call.answer instanceof Error) judgeError(run, call, call.answer, expect);
  },

  batches({ plan, batches }, expect) {
    const { maxBatch, maxBatchSize } = plan.limits;
    for (const { calls, operations } of batches) {
      const [{ kind, items, began } = none] = operations;
      const written = new Set(items.map(({ text }) => text));
      // The other calls have timed out at this moment.
      const left = calls.filter((call) => call.deadline > began || written.has(call.item.text));
      const firsts = [...Map.groupBy(left, ({ item }) => item.key).values()].map(([first]) => first?.item as Item);
      const isOldest = kind === 'write' && textsOf(firsts) === textsOf(items);
      expect(isOldest, `${textsOf(items)} is written, and ${textsOf(firsts)} is the oldest`);
      const size = left.reduce((sum, { item }) => sum + item.size, 0);
      expect(left.length <= maxBatch, `a batch has ${left.length} items`);
      expect(left.length === 1 || size <= maxBatchSize, `a batch has the size ${size}`);
    }
  },

  checks({ plan, checks, closing, closes }, expect) {
    for (const { called, answered, error, isOpen } of checks) {
      if (error !== undefined) expect(error instanceof Unavailable, `a check gets ${error}, which is Unavailable`);
      if (called >= closing) continue;
      if (plan.faults.length === 0) expect(error === undefined, `a check of a sound engine gets ${error}`);
      if (!plan.engine.hasCircuitBreaker) continue;
      if (error === undefined) expect(!isOpen, 'a check that succeeds closes the circuit');
      const isEnded = closes.some((at) => at <= answered);
      if (error instanceof Unsafe && !isEnded) expect(isOpen, 'what is unsafe opens the circuit');
    }
  },

  circuit(run, expect) {
    const { plan, calls, batches, states, closes, closing, opening } = run;
    const { hasCircuitBreaker } = plan.engine;
    const isAlternating = states.every(({ state }, at) => state === ['closed', 'open'][at % 2]);
    const isOver = states.at(-1)?.state === (hasCircuitBreaker ? 'closed' : undefined);
    expect(isAlternating && isOver, 'the states of the circuit alternate, and it is closed in the end');
    for (const { at, called, isOpen, answer } of calls)
      if (isOpen && called < closing)
        expect(
          answer instanceof Error && isCircuitOpen(answer),
          `an open circuit refuses call ${at}, not with ${answer}`,
        );
    for (const { isOpen } of batches) expect(!isOpen, 'no write begins while the circuit is open');
    const isUncertain = isClose(run, 1);
    for (const { began, ended } of isUncertain || !hasCircuitBreaker ? [] : opening) {
      const holds = wasOpen(run, ended, ended) || closes.some((at) => at <= ended);
      expect(holds, `the failure of the write of ${began} opens the circuit`);
    }
    const writes = batches.map((batch) => ({
      began: batch.operations[0]?.began ?? 0,
      last: writesOf(batch).at(-1) ?? none,
    }));
    for (const { began, last } of isUncertain || !hasCircuitBreaker ? [] : writes) {
      const { deadline } = last;
      const hasSucceeded = writes.some(
        ({ last: { outcomes, ended } }) => outcomes && ended >= began && ended <= deadline,
      );
      if (last.ended <= deadline || hasSucceeded || closes.some((at) => at <= deadline + 1)) continue;
      expect(wasOpen(run, deadline, deadline + 1), `the write of ${began}, which is late, opens the circuit`);
    }
    const mayBeUnsafe = isUncertain || plan.faults.some(({ kind }) => kind === 'unsafe');
    for (const { at, isFailing } of states.filter(({ state }) => state === 'open')) {
      expect(mayBeUnsafe || isFailing, 'no circuit opens while other writes succeed');
      expect(!closes.some((end) => end < at), 'no circuit opens after the end');
    }
  },

  closing({ calls, checks, batches, probes, closes, closing, closed, left }, expect) {
    const [end = Infinity] = closes;
    const isLate = ({ called, answered }: Call | Check, answer: unknown) =>
      isClosedError(answer) && answered === called;
    const begun = [
      ...calls.filter((call) => !isLate(call, call.answer)),
      ...checks.filter((each) => !isLate(each, each.error)),
    ];
    const lastAnswer = Math.max(closing, ...begun.map(({ answered }) => answered));
    expect(
      closes.length === 1 && closed <= lastAnswer + 1,
      `closed ${closes.length} times by ${closed}, once all are answered at ${lastAnswer}`,
    );
    expect(end >= lastAnswer, 'close waits for all answers');
    const operations = batches.flatMap((batch) => batch.operations.map(({ began }) => began));
    expect(Math.max(...operations, ...probes) <= end, 'the engine is asked for nothing after the end');
    const isRefused = begun.every(({ called }) => called <= closing) && isClosedError(calls.at(-1)?.answer);
    expect(isRefused && isClosedError(checks.at(-1)?.error), 'what comes later is refused at once');
    expect(left === 0, 'nothing waits in the end, and no timer is left');
    for (const { at, answer, answered } of calls)
      expect(!isClosedError(answer) || answered >= closing, `call ${at} gets ${answer} once it closes`);
  },

  deadlines({ plan, batches }, expect) {
    for (const { operations } of batches) {
      const batchDeadline = (operations[0] ?? none).began + plan.limits.timeoutMs;
      for (const { began, deadline } of operations) {
        expect(deadline === batchDeadline, 'a batch has the whole timeout, all attempts included');
        expect(began <= deadline, 'nothing begins after the deadline of its batch');
      }
    }
  },

  events(run, expect) {
    const { batches, wrote } = run;
    expect(wrote.length === batches.length, `${batches.length} writes, ${wrote.length} were reported`);
    const reported = sum(wrote.map(([, items]) => items));
    const written = sum(batches.map(({ operations }) => (operations[0] ?? none).items.length));
    expect(reported === written, `${written} items were written, ${reported} were reported`);
    for (const [, , , contexts = []] of wrote) {
      const isTheirs = ({ operations: [{ items } = none] }: Batch) => items[0]?.text === contexts[0]?.item.text;
      const { calls = [], operations: [{ began } = none] = [] } = batches.find(isTheirs) ?? {};
      // The other calls have timed out at this moment.
      const left = calls.filter((call) => call.deadline > began || contexts.includes(call));
      const isSame = left.length === contexts.length && left.every((call) => contexts.includes(call));
      expect(isSame, `the write of ${began} has ${left.length} calls, and the contexts of ${contexts.length}`);
    }
    if (isClose(run, 2)) return;
    const done = batches.flatMap((batch) => {
      const [{ began }, last] = [batch.operations[0] ?? none, writesOf(batch).at(-1) ?? none];
      return last.outcomes && last.ended < last.deadline ? last.ended - began : [];
    });
    const durations = wrote.filter(([outcome]) => outcome === 'done').map(([, , seconds]) => seconds);
    expect(durations.length === done.length, `${done.length} writes are done, ${durations.length} were reported`);
    expect(Math.abs(sum(durations) - sum(done) / 1_000) < 1e-6, `writes took ${sum(done)} ms`);
  },

  gathering({ excessWaitMs }, expect) {
    expect(excessWaitMs <= 0, `items wait for others ${excessWaitMs} ms longer than a commit takes`);
  },

  history({ calls, external, lost, rows }, expect) {
    const own = calls.map(({ item: { key, text }, called, answered, answer }) => {
      const isRetried = lost.has(text);
      const known = answer instanceof Error && isRetried ? 'unknown' : recorded(answer);
      return { key, value: text, called, answered, answer: known, isRetried };
    });
    for (const fault of checkHistory([...own, ...external], rows)) expect(false, fault);
  },

  'in flight'({ plan, batches }, expect) {
    for (const { inFlight } of batches) expect(inFlight <= plan.limits.maxWrites, `${inFlight} writes are in flight`);
  },

  'in time'({ calls, checks }, expect) {
    for (const { at, answered, deadline } of calls) expect(answered <= deadline + 1, `call ${at} is answered in time`);
    for (const { answered, deadline } of checks) expect(answered <= deadline, 'a check is answered in time');
  },

  /** After mild faults no client gets an unknown outcome. */
  'passing faults'({ plan, calls, states }, expect) {
    const { faults, limits, engine } = plan;
    const isMild = faults.every(({ kind, magnitude, forMs }) =>
      kind === 'locks' ? forMs <= limits.timeoutMs / 4 : ['transient', 'lost'].includes(kind) && magnitude <= 2,
    );
    const transients = faults.filter(({ kind }) => kind !== 'locks').length;
    const slowest = (engine.fixedMs + engine.perItemMs) * 1.5 * (2 * calls.length + 8);
    if (!isMild || transients > 1 || slowest > limits.timeoutMs / 2) return;
    for (const { at, answer } of calls) {
      const isKnown = !(answer instanceof Unavailable) || isRefusedAtOnce(answer);
      expect(isKnown, `call ${at} gets ${answer} although only passing faults were there`);
    }
    expect(states.length <= 1, 'passing faults open no circuit');
  },

  recovery({ calls }, expect) {
    const alive = calls.find(({ item }) => item.text === 'alive');
    expect(!alive || alive.answer === 'added', `it is live again, and says ${alive?.answer}`);
  },

  retries({ batches, calls, retried }, expect) {
    // The remaining retries are of `settle`.
    const retries = sum(batches.map((batch) => writesOf(batch).length - 1));
    expect(retried >= retries, `${retries} retries, ${retried} were reported`);
    const failures = batches.flatMap(({ operations }) => operations.filter(({ error }) => isTransient(error)));
    for (const batch of batches) {
      const writes = writesOf(batch);
      expect(writes.length <= 3, 'a write has at most three attempts');
      for (const [at, { items }] of writes.slice(1).entries()) {
        const isWorth = isTransient(writes[at]?.error) && textsOf(items) === textsOf(writes[at]?.items ?? []);
        expect(isWorth, `${textsOf(items)} is written again`);
      }
    }
    const given = calls.filter(({ answer }) => isTransient(answer) && !isCircuitOpen(answer as Error));
    for (const call of given) {
      const operations = batches.findLast((batch) => batch.calls.includes(call))?.operations ?? [];
      const isLate = operations.some(({ deadline }) => call.answered + 80 > deadline);
      // No retry after three attempts, close to the deadline, or when the budget of 10 may be spent.
      const mayGiveUp =
        isLate || operations.filter((each) => failures.includes(each)).length >= 3 || failures.length > 10;
      expect(mayGiveUp, `call ${call.at} gets ${call.answer}, which is worth another attempt`);
    }
  },

  settling({ batches }, expect) {
    for (const batch of batches)
      for (const [at, { kind, items, began }] of batch.operations.entries())
        for (const item of kind === 'settle' ? items : []) {
          const last = batch.operations.slice(0, at).findLast((each) => each.outcomes && each.items.includes(item));
          expect(last?.outcomes?.[last.items.indexOf(item)] === 'conflict', `${item.text} conflicts`);
          expect(
            callersOf(batch, item).some(({ answered }) => answered >= began),
            `somebody waits for ${item.text}`,
          );
        }
  },
} as const satisfies Record<string, Find>;

export type Oracle = keyof typeof oracles;

/** The promises that do not hold in a run. */
export function violationsIn(run: Run): readonly { readonly oracle: string; readonly promise: string }[] {
  const all: { oracle: string; promise: string }[] = [];
  for (const [oracle, find] of Object.entries<Find>(oracles))
    find(run, (holds, promise) => void (holds || all.push({ oracle, promise })));
  return all;
}

function judgeError(run: Run, call: Call, error: Error, expect: Parameters<Find>[1]): void {
  const { item, called, answered, at, deadline } = call;
  const isOwn = item.isRefused && error.message === `refused ${item.text}`;
  const rejects = ({ calls, operations }: Batch) =>
    calls.includes(call) && operations.some((operation) => operation.error === error);
  const isTheirs = isOwn || error instanceof Unavailable || run.batches.some(rejects);
  expect(isTheirs, `call ${at} gets ${error}, which is Unavailable, its own, or what its batch is rejected with`);
  if (!isCircuitOpen(error)) {
    const isEarly = error.message.startsWith('the engine did not respond') && answered < deadline;
    expect(!isEarly, `call ${at} gets ${error}, not before its time is over`);
    return;
  }
  expect(wasOpen(run, called, answered), `call ${at} gets ${error} while the circuit is open`);
  const isMisconfigured = /^(misconfigured|unsafe)/.test(error.message);
  expect(error instanceof Misconfigured === isMisconfigured, `call ${at} gets ${error}, of the class of the failure`);
}

function wasOpen({ states }: Run, from: number, to: number): boolean {
  return states.some(({ state, at }, index) => {
    return state === 'open' && at <= to && (states[index + 1]?.at ?? Infinity) >= from;
  });
}

/** Whether an operation ended so close to its deadline that either result is right. */
function isClose({ batches }: Run, ms: number): boolean {
  return batches.some(({ operations }) => operations.some(({ ended, deadline }) => Math.abs(ended - deadline) < ms));
}

function recorded(answer: Call['answer']): RecordedAnswer<string> {
  if (answer === undefined) return 'unknown';
  if (!(answer instanceof Error)) return answer;
  return answer instanceof Unavailable && !isRefusedAtOnce(answer) ? 'unknown' : 'refused';
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

const none: Operation = { kind: 'settle', items: [], began: -1, deadline: -1, ended: -1 };
