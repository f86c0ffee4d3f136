import { checkHistory } from '@plant-store/testing';
import type { BatchEngine, ItemSpec } from '../../src/batch-engine.ts';
import { Misconfigured, Overloaded, Unavailable, Unsafe } from '../../src/errors.ts';
import type { GroupCommitEvents } from '../../src/events.ts';
import { type GroupCommit, groupCommit } from '../../src/group-commit.ts';
import type { GroupCommitLimits } from '../../src/limits.ts';
import type { Platform } from '../../src/platform.ts';
import { settled, type VirtualPlatform, virtualPlatform } from '../virtual-platform.ts';
import type { Plan, PlannedCall } from './plan.ts';
import { randomFrom } from './random.ts';
import {
  type Broken,
  type ClientCall,
  isCircuitOpen,
  isRefusedAtOnce,
  isUnanswered,
  type Line,
  type Oracle,
  Records,
  type Result,
} from './records.ts';
import { SimulatedEngine } from './simulated-engine.ts';
import { WatchedPlatform } from './watched-platform.ts';
import { WatchedWrites } from './watched-writes.ts';

const lines: ItemSpec<Line, string, Result> = {
  keyOf: ({ key }) => key,
  sizeOf: ({ size }) => size,
  snapshot: (line) => ({ ...line }),
  repeat: (result, first) => (result === 'added' ? { exists: first.text } : result),
};

/** How a service is made: as `groupCommit` makes it, or as a mutant does. */
export type Make = (
  engine: BatchEngine<Line, Result>,
  spec: ItemSpec<Line, string, Result>,
  limits: GroupCommitLimits,
  events: GroupCommitEvents,
  platform: Platform,
) => GroupCommit<Line, Result>;

/** What a run has shown. */
export interface Run {
  readonly broken: readonly Broken[];
  readonly trace: readonly string[];
  /** How often faults took effect, by their kind. */
  readonly delivered: Readonly<Record<string, number>>;
}

/** Runs a plan. Chance is the plan's too. */
export async function simulate(plan: Plan, make: Make = groupCommit): Promise<Run> {
  const { random } = Math;
  Math.random = randomFrom(plan.seed + 1);
  try {
    return await new Simulation(plan, make).run();
  } finally {
    Math.random = random;
  }
}

class Simulation {
  readonly #plan: Plan;
  readonly #virtual: VirtualPlatform = virtualPlatform();
  readonly #records = new Records(this.#virtual.platform.now);
  /** What group commit has set of timers. */
  readonly #platform = new WatchedPlatform(this.#virtual.platform);
  readonly #writes: WatchedWrites;
  readonly #engine: SimulatedEngine;
  readonly #service: GroupCommit<Line, Result>;
  readonly #checks: { readonly deadline: number; answered: number }[] = [];
  #waiting = () => 0;
  #lastClosed = -1;

  constructor(plan: Plan, make: Make) {
    this.#plan = plan;
    this.#writes = new WatchedWrites(plan, this.#records, () => this.#waiting());
    this.#engine = new SimulatedEngine(plan, this.#virtual.platform, this.#writes);
    const events: GroupCommitEvents = {
      watchWaiting: (count) => {
        this.#waiting = count;
      },
      wrote: (...write) => this.#writes.events.push(write),
      retried: () => {
        this.#writes.retried += 1;
      },
      circuit: (state) => this.#turns(state),
    };
    this.#service = make(this.#engine, lines, plan.limits, events, this.#platform);
  }

  async run(): Promise<Run> {
    const { calls, faults, closesAt, limits, engine } = this.#plan;
    let at = 0;
    for (const call of calls) {
      at += call.afterMs;
      this.#virtual.platform.after(at, () => this.#call(call));
    }
    if (closesAt === null) {
      const lastFault = Math.max(at, ...faults.map((fault) => fault.at + fault.forMs));
      const hangs = faults.some(({ kind }) => kind === 'hangs');
      // The longest pause between probes; one that hangs is joined for 5 s.
      const probed = 2 * (engine.fixedMs + engine.perItemMs) + 502 + (hangs ? 5_500 : 0);
      await this.#until(lastFault + limits.timeoutMs + probed);
      await this.#expectAlive();
    } else await this.#until(closesAt);
    await this.#close();
    this.#judge();
    return { broken: this.#records.broken, trace: this.#records.trace, delivered: this.#engine.delivered };
  }

  #by(oracle: Oracle) {
    return this.#records.by(oracle);
  }

  #now(): number {
    return this.#virtual.platform.now();
  }

  async #until(time: number): Promise<void> {
    let isOver = false;
    this.#virtual.platform.after(time - this.#now(), () => {
      isOver = true;
    });
    await settled();
    while (!isOver && (await this.#virtual.step())) this.#look();
  }

  #call({ does, key, size, isRefused }: PlannedCall): void {
    const text = `call ${this.#records.calls.length}`;
    if (does === 'check') void this.#check();
    else this.#add({ key: key ?? `the key of ${text} alone`, text, size, isRefused });
  }

  #add(line: Line): ClientCall {
    const call = this.#records.begin(line, this.#plan.limits.timeoutMs);
    void this.#submit(call, line);
    return call;
  }

  async #submit(call: ClientCall, line: Line): Promise<void> {
    const { isOpen } = this.#records;
    const waited = this.#waiting();
    const [oldest = call] = this.#writes.queue;
    const answer = this.#service.submit(line).catch((error: Error) => error);
    if (this.#waiting() > waited) this.#writes.admitted(call);
    // Its object is the caller's again.
    line.text = 'changed';
    call.answer = await answer;
    call.answered = this.#now();
    const error = call.answer instanceof Error ? call.answer : undefined;
    this.#records.note(`call ${call.at} gets ${JSON.stringify(call.answer)} ${call.answer}`);
    this.#by('in time')(call.answered <= call.deadline + 1, `call ${call.at} is answered in time`);
    if (this.#records.isClosing && error?.message === 'the engine is closed') return;
    if (isOpen) this.#by('circuit')(error !== undefined && isCircuitOpen(error), 'an open circuit refuses');
    else this.#judgeAdmission(call, waited, oldest);
    if (error) this.#judgeError(call, error);
  }

  #judgeAdmission({ at, called, answer }: ClientCall, waited: number, oldest: ClientCall): void {
    const { maxWaiting, maxWaitMs } = this.#plan.limits;
    const expect = this.#by('admission');
    const age = called - oldest.called;
    const isRefused = answer instanceof Overloaded;
    const mayRefuse = age >= maxWaitMs || this.#writes.mayBeSmall(waited);
    if (waited >= maxWaiting) expect(isRefused, `a full queue refuses call ${at}`);
    else if (Math.abs(age - maxWaitMs) > 1e-6)
      expect(isRefused ? mayRefuse : age < maxWaitMs, `call ${at} gets ${answer}, and the oldest waits for ${age} ms`);
  }

  #judgeError(call: ClientCall, error: Error): void {
    const { isOpen } = this.#records;
    const expect = this.#by('errors');
    const { line, called, answered } = call;
    const told = `call ${call.at} gets ${error}`;
    const isOwn = line.isRefused && error.message === `refused ${line.text}`;
    const isTheirs = isOwn || error instanceof Unavailable || this.#writes.isRejectedWith(call, error);
    expect(isTheirs, `${told}, which is Unavailable, its own, or what its batch is rejected with`);
    this.#by('closing')(error.message !== 'the engine is closed', `${told} once it closes`);
    if (isCircuitOpen(error)) {
      expect(isOpen || this.#lastClosed >= called, `${told} while the circuit is open`);
      const isMisconfigured = /^(misconfigured|unsafe)/.test(error.message);
      expect(error instanceof Misconfigured === isMisconfigured, `${told}, of the class of the failure`);
    } else if (error.message.startsWith('transient'))
      this.#by('retries')(this.#writes.mayGiveUp(call), `${told}, which is worth another attempt`);
    else if (error.message.startsWith('the engine did not respond'))
      expect(answered >= call.deadline, `${told}, not before its time is over`);
  }

  async #check(): Promise<void> {
    const { isClosing } = this.#records;
    const expect = this.#by('checks');
    const check = { deadline: this.#now() + this.#plan.limits.timeoutMs, answered: Infinity };
    this.#checks.push(check);
    const error: unknown = await this.#service.check().catch((reason: unknown) => reason);
    check.answered = this.#now();
    this.#records.note(`a check gets ${error}`);
    this.#by('in time')(this.#now() <= check.deadline, 'a check is answered in time');
    if (error === undefined) this.#by('closing')(!isClosing, 'no check succeeds after the end');
    else expect(error instanceof Unavailable, `a check gets ${error}, which is Unavailable`);
    if (isClosing) return;
    if (this.#plan.faults.length === 0) expect(error === undefined, `a check of a sound engine gets ${error}`);
    if (!this.#engine.hasCircuitBreaker) return;
    if (error === undefined) expect(!this.#records.isOpen, 'a check that succeeds closes the circuit');
    if (error instanceof Unsafe && !this.#records.isClosed)
      expect(this.#records.isOpen, 'what is unsafe opens the circuit');
  }

  #turns(state: 'open' | 'closed'): void {
    const { states, isClosed } = this.#records;
    const expect = this.#by('circuit');
    this.#records.note(`the circuit is ${state}`);
    states.push(state);
    if (state === 'closed') {
      this.#lastClosed = this.#now();
      return;
    }
    expect(!isClosed, 'no circuit opens after the end');
    const isSafe = this.#plan.faults.every(({ kind }) => kind !== 'unsafe');
    expect(!isSafe || this.#writes.mayOpen(), 'no circuit opens while other writes succeed');
  }

  /** Whenever time has passed. */
  #look(): void {
    const { calls, states } = this.#records;
    const expect = this.#by('in time');
    this.#writes.lookAtWaiting(this.#platform.sleeping);
    if (this.#virtual.deferred.length > 0) return;
    const now = this.#now();
    for (const call of calls) expect(!isUnanswered(call) || now <= call.deadline + 1, `call ${call.at} has its answer`);
    const checking = this.#checks.filter(({ answered }) => answered === Infinity);
    for (const { deadline } of checking) expect(now <= deadline, 'a check has its answer');
    this.#writes.look();
    const isOne = states.includes('open') || this.#platform.watching <= 2 + checking.length;
    this.#by('timers')(isOne, 'there is one timer for all deadlines, and one for what waits for others');
  }

  async #expectAlive(): Promise<void> {
    const { fixedMs, perItemMs } = this.#plan.engine;
    const call = this.#add({ key: 'alive', text: 'alive', size: 1, isRefused: false });
    await this.#until(call.called + 1.5 * (fixedMs + perItemMs) + 1);
    this.#by('recovery')(call.answer === 'added', `it is live again, and says ${call.answer}`);
  }

  async #close(): Promise<void> {
    const { timeoutMs } = this.#plan.limits;
    const expect = this.#by('closing');
    this.#records.isClosing = true;
    const begun = [...this.#records.calls, ...this.#checks];
    const isIdle = begun.every(({ answered }) => answered < Infinity);
    let isResolved = false;
    void this.#service.close().then(() => {
      isResolved = true;
    });
    void this.#service.close();
    const late = this.#add({ key: 'late', text: 'late', size: 1, isRefused: false });
    void this.#check();
    await this.#until(this.#now() + (isIdle ? 0 : timeoutMs + 1));
    const error = late.answer instanceof Error ? late.answer.message : late.answer;
    expect(error === 'the engine is closed' && late.answered === late.called, 'what comes later is refused at once');
    const { closedAt, isClosed } = this.#records;
    expect(isResolved && isClosed, 'it closes as soon as all are answered');
    const isLast = begun.every(({ answered }) => answered <= closedAt);
    expect(isLast, 'close waits for all answers');
    await this.#until(this.#now() + timeoutMs + 700);
    this.#by('timers')(this.#platform.watching + this.#platform.sleeping === 0, 'no timer is left');
    // What hangs, or is slow, ends; nothing that was acknowledged waits for it.
    await this.#until(this.#now() + 10_000);
  }

  #judge(): void {
    const { states } = this.#records;
    const { lost, rows, hasCircuitBreaker } = this.#engine;
    for (const fault of checkHistory(this.#records.history(lost), rows)) this.#by('history')(false, fault);
    const isAlternating = states.every((state, at) => state === ['closed', 'open'][at % 2]);
    const isOver = states.at(-1) === (hasCircuitBreaker ? 'closed' : undefined);
    this.#by('circuit')(isAlternating && isOver, `the states of the circuit alternate: ${states}`);
    this.#by('batches')(this.#waiting() === 0, 'nothing waits in the end');
    this.#writes.judge();
    this.#judgeQuietRun();
  }

  /** What a few passing faults must not let through: nobody is told that the outcome is unknown. */
  #judgeQuietRun(): void {
    const { faults, calls, limits, engine } = this.#plan;
    const isMild = faults.every(
      ({ kind, howMuch, forMs }) =>
        (kind === 'transient' && howMuch <= 2) ||
        (kind === 'lost' && howMuch <= 2) ||
        (kind === 'locks' && forMs <= limits.timeoutMs / 4),
    );
    const transients = faults.filter(({ kind }) => kind !== 'locks').length;
    const slowest = (engine.fixedMs + engine.perItemMs) * 1.5 * (2 * calls.length + 8);
    if (!isMild || transients > 1 || slowest > limits.timeoutMs / 2) return;
    for (const { at, answer } of this.#records.calls) {
      const isKnown = !(answer instanceof Unavailable) || isRefusedAtOnce(answer);
      this.#by('passing faults')(isKnown, `call ${at} gets ${answer} although only passing faults were there`);
    }
    this.#by('passing faults')(!this.#records.states.includes('open'), 'passing faults open no circuit');
  }
}
