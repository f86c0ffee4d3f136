import { checkHistory } from '@plant-store/testing-servers';
import type { ItemSpec } from '../../src/batch-engine.ts';
import { Overloaded, Unavailable, Unsafe } from '../../src/errors.ts';
import { type GroupCommit, groupCommit } from '../../src/group-commit.ts';
import { settled, type VirtualPlatform, virtualPlatform } from '../virtual-platform.ts';
import type { Plan, PlannedCall } from './plan.ts';
import {
  type ClientCall,
  isCircuitOpen,
  isOfItsClass,
  isRefusedAtOnce,
  type Line,
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

/** Runs a plan. @returns the promises that were broken, one line each. */
export async function simulate(plan: Plan): Promise<readonly string[]> {
  return new Simulation(plan).run();
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
  #isOpen = false;
  #lastClosed = -1;
  readonly #states: string[] = [];
  #closedAt = Infinity;
  #isClosing = false;
  #isClosed = false;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#writes = new WatchedWrites(plan, this.#records, () => this.#waiting());
    this.#engine = new SimulatedEngine(plan, this.#virtual.platform, {
      began: (operation) => {
        this.#records.expect(!this.#isClosed, 'no operation begins after the end');
        this.#writes.began(operation, this.#isOpen);
      },
      ended: (operation) => this.#writes.ended(operation),
      probes: () => {
        this.#records.expect(!this.#isClosed, 'no probe begins after the end');
        this.#writes.probes();
      },
      closes: () => this.#closes(),
      wrote: (key, value, called) =>
        this.#records.foreign.push({ key, value, called, answered: this.#now(), answer: 'added' }),
    });
    this.#service = groupCommit(
      this.#engine,
      lines,
      plan.limits,
      {
        watchWaiting: (count) => {
          this.#waiting = count;
        },
        wrote: (...write) => this.#writes.events.push(write),
        retried: () => {
          this.#writes.retried += 1;
        },
        circuit: (state) => this.#turns(state),
      },
      this.#platform,
    );
  }

  async run(): Promise<readonly string[]> {
    const { calls, faults, closesAt, limits, engine } = this.#plan;
    let at = 0;
    for (const call of calls) {
      at += call.afterMs;
      this.#virtual.platform.after(at, () => this.#call(call, `call ${this.#records.calls.length}`));
    }
    if (closesAt === null) {
      const lastFault = Math.max(at, ...faults.map((fault) => fault.at + fault.forMs));
      const hangs = faults.some(({ kind }) => kind === 'hangs');
      // The longest pause between probes; one that hangs is joined for 5 s.
      await this.#until(
        lastFault + limits.timeoutMs + 2 * (engine.fixedMs + engine.perItemMs) + 502 + (hangs ? 5_500 : 0),
      );
      await this.#expectAlive();
    } else await this.#until(closesAt);
    await this.#close();
    this.#judge();
    return this.#records.faults;
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

  #call({ does, key, size, isRefused }: PlannedCall, text: string): void {
    if (does === 'check') void this.#check();
    else void this.#add({ key: key ?? `the key of ${text} alone`, text, size, isRefused });
  }

  async #add(line: Line): Promise<void> {
    const { expect } = this.#records;
    const call = this.#records.begin(line, this.#plan.limits.timeoutMs);
    const wasOpen = this.#isOpen;
    const waited = this.#waiting();
    const isAlone = this.#records.calls.every((each) => each === call || each.answered < Infinity);
    const answer = this.#service.submit(line).catch((error: Error) => error);
    // Its object is the caller's again.
    line.text = 'changed';
    call.answer = await answer;
    call.answered = this.#now();
    const error = call.answer instanceof Error ? call.answer : undefined;
    expect(call.answered <= call.deadline + 1, `call ${call.at} is answered in time`);
    if (this.#isClosing && error?.message === 'the engine is closed') return;
    if (wasOpen) expect(error !== undefined && isCircuitOpen(error), 'an open circuit refuses');
    if (waited >= this.#plan.limits.maxWaiting && !wasOpen) expect(error instanceof Overloaded, 'a full queue refuses');
    expect(!isAlone || !(error instanceof Overloaded), 'nothing is an overload while nobody waits');
    if (error) this.#judgeError(call, error);
  }

  #judgeError(call: ClientCall, error: Error): void {
    const { line, called, answered } = call;
    const told = `call ${call.at} gets ${error}`;
    this.#records.expect(
      error instanceof Unavailable ||
        (line.isRefused && error.message === `refused ${line.text}`) ||
        this.#writes.refusesRepeats(error, line),
      `${told}, which is Unavailable or its own`,
    );
    this.#records.expect(error.message !== 'the engine is closed', `${told} once it closes`);
    if (isCircuitOpen(error)) {
      this.#records.expect(this.#isOpen || this.#lastClosed >= called, `${told} while the circuit is open`);
      this.#records.expect(isOfItsClass(error), `${told}, of the class of the failure`);
    }
    if (error.message.startsWith('the engine did not respond') && !isRefusedAtOnce(error))
      this.#records.expect(
        answered >= call.deadline || this.#writes.timedOut(),
        `${told}, not before its time is over`,
      );
  }

  async #check(): Promise<void> {
    const check = { deadline: this.#now() + this.#plan.limits.timeoutMs, answered: Infinity };
    this.#checks.push(check);
    const isClosing = this.#isClosing;
    const error: unknown = await this.#service.check().catch((reason: unknown) => reason);
    check.answered = this.#now();
    this.#records.expect(this.#now() <= check.deadline, 'a check is answered in time');
    if (error === undefined) this.#records.expect(!isClosing, 'no check succeeds after the end');
    else this.#records.expect(error instanceof Unavailable, `a check gets ${error}, which is Unavailable`);
    if (this.#plan.faults.length === 0 && !isClosing)
      this.#records.expect(error === undefined, `a check of a sound engine gets ${error}`);
    if (isClosing || !this.#engine.hasCircuitBreaker) return;
    if (error === undefined) this.#records.expect(!this.#isOpen, 'a check that succeeds closes the circuit');
    if (error instanceof Unsafe && !this.#isClosed)
      this.#records.expect(this.#isOpen, 'what is unsafe opens the circuit');
  }

  #turns(state: 'open' | 'closed'): void {
    this.#states.push(state);
    this.#isOpen = state === 'open';
    if (state === 'closed') this.#lastClosed = this.#now();
    if (state === 'closed') return;
    this.#records.expect(!this.#isClosed, 'no circuit opens after the end');
    const isSafe = this.#plan.faults.every(({ kind }) => kind !== 'unsafe');
    this.#records.expect(!isSafe || this.#writes.mayOpen(), 'no circuit opens while other writes succeed');
  }

  /** Whenever nothing more can happen in this moment. */
  #look(): void {
    const { maxWaiting } = this.#plan.limits;
    this.#writes.lookAtWaiting(this.#platform.sleeping);
    if (this.#virtual.deferred.length > 0) return;
    const now = this.#now();
    this.#records.expect(this.#waiting() <= maxWaiting, 'the queue is no longer than maxWaiting');
    for (const call of this.#records.calls)
      this.#records.expect(call.answered < Infinity || now <= call.deadline + 1, `call ${call.at} has its answer`);
    for (const check of this.#checks)
      this.#records.expect(check.answered < Infinity || now <= check.deadline, 'a check has its answer');
    this.#writes.look(this.#isOpen || this.#isClosed);
    const checking = this.#checks.filter(({ answered }) => answered === Infinity).length;
    if (!this.#states.includes('open'))
      this.#records.expect(
        this.#platform.watching <= 2 + checking,
        'there is one timer for all deadlines, and one for what waits for others',
      );
  }

  async #expectAlive(): Promise<void> {
    const { fixedMs, perItemMs } = this.#plan.engine;
    const began = this.#now();
    void this.#add({ key: 'alive', text: 'alive', size: 1, isRefused: false });
    const takes = 1.5 * (fixedMs + perItemMs);
    await this.#until(began + takes + 1);
    const call = this.#records.byText.get('alive');
    this.#records.expect(call?.answer === 'added', `it is live again, and says ${call?.answer}`);
  }

  #closes(): void {
    this.#records.expect(!this.#isClosed, 'the engine is closed once');
    this.#records.expect(this.#isClosing, 'the engine is closed by close');
    this.#isClosed = true;
    this.#closedAt = this.#now();
  }

  async #close(): Promise<void> {
    const { timeoutMs } = this.#plan.limits;
    this.#isClosing = true;
    const begun = [...this.#records.calls, ...this.#checks];
    const isIdle = begun.every(({ answered }) => answered < Infinity);
    let isResolved = false;
    void this.#service.close().then(() => {
      isResolved = true;
    });
    void this.#service.close();
    void this.#add({ key: 'late', text: 'late', size: 1, isRefused: false });
    void this.#check();
    const late = this.#records.byText.get('late');
    await this.#until(this.#now() + (isIdle ? 0 : timeoutMs + 1));
    this.#records.expect(
      late?.answer instanceof Error && late.answer.message === 'the engine is closed' && late.answered === late.called,
      'what comes later is refused at once',
    );
    this.#records.expect(isResolved && this.#isClosed, 'it closes as soon as all are answered');
    this.#records.expect(
      begun.every(({ answered }) => answered <= this.#closedAt),
      'close waits for all answers',
    );
    await this.#until(this.#now() + timeoutMs + 700);
    this.#records.expect(this.#platform.watching + this.#platform.sleeping === 0, 'no timer is left');
    // What hangs, or is slow, ends; nothing that was acknowledged waits for it.
    await this.#until(this.#now() + 10_000);
  }

  #judge(): void {
    const { faults } = this.#records;
    faults.push(
      ...checkHistory(
        this.#records.history((text) => this.#engine.lost.has(text)),
        this.#engine.rows,
      ),
    );
    const expected = this.#engine.hasCircuitBreaker ? ['closed', 'open'] : [];
    this.#records.expect(
      this.#states.every((state, at) => state === expected[at % 2]) &&
        this.#states.length % 2 === (this.#engine.hasCircuitBreaker ? 1 : 0),
      `the states of the circuit alternate: ${this.#states}`,
    );
    this.#records.expect(this.#waiting() === 0, 'nothing waits in the end');
    this.#writes.judge(this.#states.filter((state) => state === 'open').length);
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
    for (const { at, answer } of this.#records.calls)
      if (answer instanceof Error)
        this.#records.expect(
          !(answer instanceof Unavailable) || isRefusedAtOnce(answer),
          `call ${at} gets ${answer} although only passing faults were there`,
        );
    this.#records.expect(!this.#states.includes('open'), 'passing faults open no circuit');
  }
}
