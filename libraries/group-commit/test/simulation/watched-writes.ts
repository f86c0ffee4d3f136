import { Unavailable } from '../../src/errors.ts';
import type { GroupCommitEvents } from '../../src/events.ts';
import type { Plan } from './plan.ts';
import { type ClientCall, isUnanswered, type Line, type Records } from './records.ts';
import type { Observer, Operation } from './simulated-engine.ts';

/** A batch, with all attempts of its write. */
interface Batch {
  readonly items: readonly Line[];
  /** Those who left the queue together, repeats included. */
  readonly calls: readonly ClientCall[];
  readonly began: number;
  readonly deadline: number;
  readonly successes: number;
  /** The texts of the items that conflict. */
  readonly conflicting: Set<string>;
  readonly errors: Set<Error>;
  attempts: number;
  last: Operation;
  mayRetry: boolean;
}

/** Knows who is in the queue and in which batch. Checks what the engine is asked for, and counts it. */
export class WatchedWrites implements Observer {
  readonly events: Parameters<Required<GroupCommitEvents>['wrote']>[] = [];
  retried = 0;
  readonly #plan: Plan;
  readonly #records: Records;
  readonly #waiting: () => number;
  readonly #active = new Set<Operation>();
  readonly #batches = new Set<Batch>();
  /** By the text of each item: none is the first of its key in two batches. */
  readonly #batchOf = new Map<string, Batch>();
  #queue: ClientCall[] = [];
  #successes = 0;
  #retries = 0;
  /** What becomes of a write that ends with its time is not seen here. */
  #isUncertain = false;
  #lastProbe = -Infinity;
  /** Since when items have waited although a write could begin. */
  #gathersSince: number | undefined;
  /** Of writes that have committed: the longest, and when the last one ended. */
  #longestCommit = 0;
  #lastCommit = 0;
  /** What has to be so once nothing more can happen in this moment. */
  #due: (() => void)[] = [];

  constructor(plan: Plan, records: Records, waiting: () => number) {
    this.#plan = plan;
    this.#records = records;
    this.#waiting = waiting;
  }

  /** Those who wait for a write, the oldest first. */
  get queue(): readonly ClientCall[] {
    return this.#queue.filter(isUnanswered);
  }

  admitted(call: ClientCall): void {
    this.#queue.push(call);
  }

  began(operation: Operation): void {
    const { kind, items, deadline, began } = operation;
    this.#records.note(`${kind} ${textsOf(items)}`);
    const expect = this.#records.by('settling');
    const expectRetry = this.#records.by('retries');
    this.#records.by('closing')(!this.#records.isClosed, 'no operation begins after the end');
    this.#active.add(operation);
    const batch = this.#batchOf.get(items[0]?.text ?? '');
    if (!batch) {
      expect(kind === 'write' && items.length > 0, 'what is settled was written before');
      this.#begin(operation);
      return;
    }
    this.#records.by('deadlines')(
      deadline === batch.deadline && began <= deadline,
      'nothing begins after the deadline of its batch',
    );
    if (kind === 'settle') {
      for (const item of items) {
        expect(batch.conflicting.has(item.text), `${item.text} conflicts`);
        expect(callsOf(batch, item).some(isUnanswered), `somebody waits for ${item.text}`);
      }
      return;
    }
    expectRetry(batch.mayRetry && textsOf(batch.items) === textsOf(items), `${textsOf(items)} is written again`);
    batch.attempts += 1;
    batch.last = operation;
    batch.mayRetry = false;
    this.#retries += 1;
    expectRetry(batch.attempts <= 3, 'a write has at most three attempts');
  }

  #begin(operation: Operation): void {
    const { items, deadline, began } = operation;
    const { maxBatch, maxBatchSize, maxWrites, timeoutMs } = this.#plan.limits;
    const expect = this.#records.by('batches');
    const written = new Set(items.map(({ text }) => text));
    const left = this.queue.slice(0, this.queue.length - this.#waiting());
    this.#queue = this.queue.slice(left.length);
    // The others have timed out in this moment.
    const calls = left.filter((call) => call.deadline > began || written.has(call.line.text));
    const firsts = [...Map.groupBy(calls, ({ line }) => line.key).values()].map(([first]) => first?.line as Line);
    expect(textsOf(firsts) === textsOf(items), `${textsOf(items)} is written, and ${textsOf(firsts)} is the oldest`);
    const size = calls.reduce((sum, { line }) => sum + line.size, 0);
    expect(calls.length <= maxBatch, `a batch has ${calls.length} items`);
    expect(calls.length === 1 || size <= maxBatchSize, `a batch has the size ${size}`);
    this.#records.by('deadlines')(deadline === began + timeoutMs, 'a write has the whole timeout');
    this.#records.by('circuit')(!this.#records.isOpen, 'no write begins while the circuit is open');
    const batch = {
      items,
      calls: left,
      began,
      deadline,
      successes: this.#successes,
      conflicting: new Set<string>(),
      errors: new Set<Error>(),
      attempts: 1,
      last: operation,
      mayRetry: false,
    };
    this.#batches.add(batch);
    for (const text of written) this.#batchOf.set(text, batch);
    const inFlight = this.#awaited('write').filter(({ calls: all }) => all.some((call) => began < call.deadline));
    this.#records.by('in flight')(inFlight.length <= maxWrites, `${inFlight.length} writes are in flight`);
  }

  /** The batches of operations under way that somebody waits for. */
  #awaited(...kinds: Operation['kind'][]): readonly Batch[] {
    return [...this.#active]
      .filter(({ kind }) => kinds.includes(kind))
      .flatMap(({ items: [first] }) => this.#batchOf.get(first?.text ?? '') ?? [])
      .filter(({ calls }) => calls.some(isUnanswered));
  }

  ended(operation: Operation): void {
    const { kind, error, ended, outcomes, items, deadline } = operation;
    this.#active.delete(operation);
    this.#records.note(`${kind} ${textsOf(items)} gets ${error ?? JSON.stringify(outcomes)}`);
    const batch = this.#batchOf.get(items[0]?.text ?? '');
    if (!batch) return;
    if (error) batch.errors.add(error);
    const isRetried = error !== undefined && isTransient(error);
    if (Math.abs(ended - deadline) < 1) this.#isUncertain = true;
    if (kind === 'write' && outcomes) {
      this.#longestCommit = Math.max(this.#longestCommit, ended - batch.began);
      this.#lastCommit = ended;
    }
    // It is late, and nobody waits for it.
    if (ended > deadline) return;
    if (kind === 'write') this.#endWrite(batch, operation, isRetried);
    for (const [at, item] of items.entries()) {
      const outcome = outcomes?.[at];
      const calls = callsOf(batch, item);
      const [first, ...repeats] = calls;
      if (outcome === 'conflict') batch.conflicting.add(item.text);
      else if (outcome) batch.conflicting.delete(item.text);
      if (outcome && outcome !== 'conflict' && 'refused' in outcome) {
        this.#expectAnswer(first);
        this.#queue = [...repeats, ...this.queue].toSorted((a, b) => a.called - b.called);
      } else if (typeof outcome === 'object' || (error && !isRetried))
        for (const call of calls) this.#expectAnswer(call, error);
    }
  }

  #endWrite(batch: Batch, { error }: Operation, isRetried: boolean): void {
    batch.mayRetry = isRetried;
    const { began, successes } = batch;
    if (error instanceof Unavailable && !isRetried && !this.#isUncertain && successes === this.#successes)
      this.#due.push(() => {
        const isKept = this.#records.isOpen || this.#records.isClosed || !this.#plan.engine.hasCircuitBreaker;
        this.#records.by('circuit')(isKept, `the failure of the write of ${began} opens the circuit`);
      });
    if (!error) this.#successes += 1;
  }

  /** Whoever has no answer yet gets it in this moment: if it is an error, this one. */
  #expectAnswer(call: ClientCall | undefined, error?: Error): void {
    if (!call || !isUnanswered(call)) return;
    this.#due.push(() => {
      this.#records.by('answers')(!isUnanswered(call), `call ${call.at} has its answer once its outcome is known`);
      const isTheirs = !error || call.answer === error || call.deadline <= call.answered;
      this.#records.by('answers')(isTheirs, `call ${call.at} gets ${call.answer} instead of ${error}`);
    });
  }

  probes(): void {
    const { now, isClosed } = this.#records;
    this.#records.by('closing')(!isClosed, 'no probe begins after the end');
    this.#records.by('probes')(now() - this.#lastProbe >= 1, 'one probe at a time');
    this.#lastProbe = now();
  }

  closes(): void {
    this.#records.by('closing')(
      this.#records.isClosing && !this.#records.isClosed,
      'the engine is closed once, by close',
    );
    this.#records.closedAt = this.#records.now();
  }

  wrote(key: string, value: string, called: number): void {
    this.#records.foreign.push({ key, value, called, answered: this.#records.now(), answer: 'added' });
  }

  /** Whether something has failed, or is late, and nothing has succeeded since it began. */
  mayOpen(): boolean {
    const isFailure = ({ last, successes }: Batch) => !last.outcomes && successes === this.#successes;
    return this.#isUncertain || [...this.#batches].some(isFailure);
  }

  /** Whether batches may have become so small, since one took too long, that this is more than twice as many as in flight. */
  mayBeSmall(waiting: number): boolean {
    const { maxWrites, maxWaitMs } = this.#plan.limits;
    const isSlow = ({ items, began, last }: Batch) =>
      items.length >= 8 && Math.min(last.ended, this.#records.now()) - began > maxWaitMs / 2;
    return waiting >= 2 * maxWrites * 8 && [...this.#batches].some(isSlow);
  }

  /** Whether this is what the engine has rejected the call's whole batch with. */
  isRejectedWith(call: ClientCall, error: Error): boolean {
    return [...this.#batches].some((batch) => batch.calls.includes(call) && batch.errors.has(error));
  }

  /** Whether what has failed for now cannot be tried again: too often, too late, or the budget of 10 may be spent. */
  mayGiveUp(call: ClientCall): boolean {
    const failures = (batches: readonly Batch[]) => batches.flatMap(({ errors }) => [...errors].filter(isTransient));
    const batches = [...this.#batches];
    const own = batches.filter(({ calls }) => calls.includes(call)).slice(-1);
    const isLate = own.some(({ deadline }) => this.#records.now() + 80 > deadline);
    return isLate || failures(own).length >= 3 || failures(batches).length > 10;
  }

  /** Whenever nothing more can happen in this moment. */
  look(): void {
    for (const check of this.#due.splice(0)) check();
  }

  /** Whenever time has passed. */
  lookAtWaiting(sleeping: number): void {
    const { now } = this.#records;
    const waiting = this.#waiting();
    this.#records.by('batches')(
      this.queue.length === waiting,
      `${this.queue.length} calls have to be written, and ${waiting} wait`,
    );
    const { maxWrites, maxWaitMs } = this.#plan.limits;
    const canBegin = waiting > 0 && this.#awaited('write', 'settle').length + sleeping < maxWrites;
    this.#gathersSince = canBegin ? (this.#gathersSince ?? now()) : undefined;
    // Where commits take longer than a twentieth of maxWaitMs nothing gathers.
    const commit = Math.min(this.#longestCommit, maxWaitMs / 20);
    // What pauses before another attempt is a write that others wait beside.
    const pausing = [...this.#batches].filter(({ mayRetry, calls }) => mayRetry && calls.some(isUnanswered));
    const began = [...this.#awaited('write'), ...pausing].map((batch) => batch.began);
    const until = began.length > 0 ? Math.min(...began) + 3 * commit : this.#lastCommit + commit;
    this.#records.by('gathering')(
      now() <= Math.max(until, this.#gathersSince ?? now()) + 1,
      'items wait for others for a commit after the last one, or until a write has taken three times as long',
    );
  }

  judge(): void {
    const { states } = this.#records;
    const expect = this.#records.by('events');
    const batches = [...this.#batches];
    expect(this.events.length === batches.length, `${batches.length} writes, ${this.events.length} were told of`);
    const items = this.events.reduce((sum, [, count]) => sum + count, 0);
    const written = batches.reduce((sum, batch) => sum + batch.items.length, 0);
    expect(items === written, `${written} items were written, ${items} were told of`);
    // The others are of settle.
    this.#records.by('retries')(
      this.retried >= this.#retries,
      `${this.#retries} retries, ${this.retried} were told of`,
    );
    const isSlow = batches.some(({ last, deadline }) => last.ended > deadline - 1);
    this.#records.by('circuit')(
      !states.includes('open') || this.#plan.faults.length > 0 || isSlow,
      'no circuit opens without a fault',
    );
    const isClose = batches.some(({ last, deadline }) => Math.abs(last.ended - deadline) < 2);
    if (this.#isUncertain || isClose) return;
    const done = batches.filter(({ last, deadline }) => !last.error && last.ended < deadline);
    const told = this.events.filter(([outcome]) => outcome === 'done');
    expect(told.length === done.length, `${done.length} writes are done, ${told.length} were told of`);
    const seconds = told.reduce((sum, [, , each]) => sum + each, 0);
    const took = done.reduce((sum, { last, began }) => sum + last.ended - began, 0) / 1_000;
    expect(Math.abs(seconds - took) < 1e-6, `writes took ${took} s, ${seconds} s were told of`);
  }
}

/** The item's own call, and those of its repeats. */
function callsOf({ calls }: Batch, item: Line): readonly ClientCall[] {
  const first = calls.findIndex(({ line }) => line.text === item.text);
  return calls.slice(first).filter(({ line }) => line.key === item.key);
}

const textsOf = (items: readonly Line[]) => items.map(({ text }) => text).join();

const isTransient = ({ message }: Error) => message.startsWith('transient');
