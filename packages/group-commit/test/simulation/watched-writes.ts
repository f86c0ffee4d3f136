import { Unavailable } from '../../src/errors.ts';
import type { GroupCommitEvents } from '../../src/events.ts';
import type { Plan } from './plan.ts';
import type { ClientCall, Line, Records } from './records.ts';
import type { Operation } from './simulated-engine.ts';

/** What counts as one write: the first attempt and its retries. */
interface Write {
  readonly deadline: number;
  readonly began: number;
  readonly items: readonly Line[];
  readonly successes: number;
  attempts: number;
  last: Operation;
  mayRetry: boolean;
}

/** Checks what the engine is asked for, and counts it. */
export class WatchedWrites {
  readonly events: Parameters<Required<GroupCommitEvents>['wrote']>[] = [];
  retried = 0;
  readonly #plan: Plan;
  readonly #records: Records;
  readonly #waiting: () => number;
  readonly #active = new Set<Operation>();
  readonly #writes: Write[] = [];
  readonly #seen = new Set<string>();
  /** Those who have left the queue together, by their texts; the last one came last. */
  readonly #batches = new Map<string, ClientCall[]>();
  /** Batches that have begun since the queue was looked at, with their first call alone; the others are added then. */
  #lastBatches: ClientCall[][] = [];
  /** Items that conflicted, and whose winners are read. */
  readonly #settling = new Set<string>();
  readonly #shouldOpen: Write[] = [];
  readonly #conflicting = new Set<string>();
  /** Of items that were written apart, those whose outcome is known. */
  readonly #known = new Set<string>();
  #successes = 0;
  #retries = 0;
  #othersFailed = 0;
  /** What becomes of a write that is split, or ends with its time, is not seen here. */
  #isUncertain = false;
  #isSlow = false;
  #lastProbe = -Infinity;
  /** Since when items have waited although a write could begin. */
  #gathersSince: number | undefined;
  /** Of writes that have committed: the longest, and when the last one ended. */
  #longestCommit = 0;
  #lastCommit = 0;

  constructor(plan: Plan, records: Records, waiting: () => number) {
    this.#plan = plan;
    this.#records = records;
    this.#waiting = waiting;
  }

  began(operation: Operation, isOpen: boolean): void {
    const { kind, items, deadline, began } = operation;
    const { maxBatch, maxBatchSize, maxWrites, timeoutMs } = this.#plan.limits;
    const { expect } = this.#records;
    expect(items.length > 0 && items.length <= maxBatch, `${kind} has ${items.length} items`);
    const size = items.reduce((sum, item) => sum + item.size, 0);
    expect(items.length === 1 || size <= maxBatchSize || kind !== 'write', `a batch has the size ${size}`);
    expect(new Set(items.map(({ key }) => key)).size === items.length, 'keys of a batch differ');
    expect(deadline <= began + timeoutMs, 'no deadline is later than the timeout');
    for (const { text } of items) expect(this.#records.byText.has(text), `${text} is what a caller gave`);
    this.#active.add(operation);
    if (kind === 'settle')
      for (const item of items) {
        this.#settling.add(item.text);
        expect(
          this.#conflicting.has(item.text) && this.#records.isAwaited(item),
          `${item.text} conflicts, and is awaited`,
        );
      }
    if (kind !== 'write') return;
    const first = this.#records.byText.get(items[0]?.text ?? '');
    if (first && !this.#batches.has(first.line.text)) {
      const batch = [first];
      this.#lastBatches.push(batch);
      this.#batches.set(first.line.text, batch);
    }
    const retried = this.#writes.find((write) => write.mayRetry && isSameWrite(write, operation));
    if (retried) {
      retried.attempts += 1;
      retried.last = operation;
      retried.mayRetry = false;
      this.#retries += 1;
      expect(retried.attempts <= 3, 'a write has at most three attempts');
      expect(began <= deadline, 'no attempt begins after the deadline');
      return;
    }
    expect(deadline === began + timeoutMs, 'a write has the whole timeout');
    expect(!isOpen, 'no write begins while the circuit is open');
    for (const item of items) expect(this.#records.isAwaited(item), `somebody waits for ${item.text}`);
    const inFlight = [...this.#active].filter(
      (each) => each.kind === 'write' && each.items.some(({ text }) => this.#isPending(text)),
    );
    expect(inFlight.length <= maxWrites, `${inFlight.length} writes are in flight`);
    this.#expectOldestFirst(items);
    this.#writes.push({
      deadline,
      began,
      items,
      successes: this.#successes,
      attempts: 1,
      last: operation,
      mayRetry: false,
    });
  }

  /** Those who came last are in the queue; before them, whoever came first begins a batch. */
  #fillBatches(): void {
    const pending = this.#records.calls.filter(({ answered }) => answered === Infinity);
    for (const call of pending.slice(0, pending.length - this.#waiting())) {
      if (this.#batches.has(call.line.text)) continue;
      const batch = this.#lastBatches.findLast(([first]) => first && first.at < call.at);
      batch?.push(call);
      if (batch) this.#batches.set(call.line.text, batch);
    }
    this.#lastBatches = [];
  }

  #isPending(text: string): boolean {
    const call = this.#records.byText.get(text);
    return call !== undefined && this.#records.isPending(call);
  }

  /** Those that have waited longest; what may be a repeat, or was written before, has no place of its own. */
  #expectOldestFirst(items: readonly Line[]): void {
    const isAlone = ({ key }: Line) => this.#records.byKey.get(key)?.length === 1;
    const fresh = items.filter((item) => isAlone(item) && !this.#seen.has(item.text));
    for (const { text } of items) this.#seen.add(text);
    const last = fresh.at(-1);
    if (!last) return;
    const lastAt = this.#records.byText.get(last.text)?.at ?? 0;
    const overtaken = this.#records.calls.filter(
      (call) =>
        call.at < lastAt && isAlone(call.line) && !this.#seen.has(call.line.text) && this.#records.isPending(call),
    );
    this.#records.expect(overtaken.length === 0, `call ${lastAt} is written before call ${overtaken[0]?.at}`);
  }

  ended(operation: Operation): void {
    const { kind, error, ended, began, outcomes, items } = operation;
    this.#active.delete(operation);
    if (ended - began > this.#plan.limits.maxWaitMs / 8) this.#isSlow = true;
    const isTransient = error?.message.startsWith('transient') ?? false;
    if (kind !== 'write' && error) this.#othersFailed += 1;
    if (outcomes?.includes('split') || Math.abs(ended - operation.deadline) < 1) this.#isUncertain = true;
    const write = this.#writes.find(({ last, deadline, items: all }) =>
      kind === 'write'
        ? last === operation
        : deadline === operation.deadline &&
          last.outcomes?.includes('split') &&
          all.some(({ text }) => text === items[0]?.text),
    );
    if (write && outcomes) {
      this.#longestCommit = Math.max(this.#longestCommit, ended - write.began);
      this.#lastCommit = ended;
    }
    if (write && isTransient && ended <= write.deadline) write.mayRetry = true;
    for (const [at, { text }] of items.entries()) if (typeof outcomes?.[at] === 'string') this.#conflicting.add(text);
    if (kind === 'apart')
      for (const [at, { text }] of items.entries()) if (typeof outcomes?.[at] === 'object') this.#known.add(text);
    if (kind !== 'write' || !write || ended > write.deadline) return;
    if (error instanceof Unavailable && !isTransient && !this.#isUncertain && write.successes === this.#successes)
      this.#shouldOpen.push(write);
    if (!error && !outcomes?.includes('split')) this.#successes += 1;
    // Nobody waits for others of the batch.
    for (const [at, item] of items.entries())
      if (typeof outcomes?.[at] === 'object' && !outcomes.includes('split')) this.#answered.push(item.text);
  }

  /** What has an outcome in this moment. */
  #answered: string[] = [];

  probes(): void {
    this.#records.expect(this.#records.now() - this.#lastProbe >= 1, 'one probe at a time');
    this.#lastProbe = this.#records.now();
  }

  /** Whether something has failed, or is late, and nothing has succeeded since it began. */
  mayOpen(): boolean {
    return (
      this.#isUncertain || this.#writes.some(({ last, successes }) => !last.outcomes && successes === this.#successes)
    );
  }

  /** Whether that was the first of its key and in conflict: those that waited for its outcome are refused with it. */
  refusesRepeats({ message }: Error, { key }: Line): boolean {
    const [, text = ''] = /^refused (.*)$/.exec(message) ?? [];
    return this.#conflicting.has(text) && this.#records.byText.get(text)?.line.key === key;
  }

  timedOut(): boolean {
    return this.#writes.some(({ deadline }) => deadline <= this.#records.now());
  }

  /** Whenever nothing more can happen in this moment. */
  look(isOpen: boolean): void {
    for (const text of this.#answered.splice(0)) {
      const call = this.#records.byText.get(text);
      this.#records.expect(call?.answered !== Infinity, `${text} has its answer once it is written`);
    }
    for (const { began } of this.#shouldOpen.splice(0))
      this.#records.expect(
        isOpen || !this.#plan.engine.hasCircuitBreaker,
        `the failure of the write of ${began} opens the circuit`,
      );
  }

  /** Whenever time has passed. */
  lookAtWaiting(sleeping: number): void {
    this.#fillBatches();
    const busy = [...this.#active].filter(({ items: [first] }) =>
      this.#batches.get(first?.text ?? '')?.some(({ answered }) => answered === Infinity),
    );
    const now = this.#records.now();
    const canBegin = this.#waiting() > 0 && busy.length + sleeping < this.#plan.limits.maxWrites;
    this.#gathersSince = canBegin ? (this.#gathersSince ?? now) : undefined;
    // Where commits take longer than an eighth of maxWaitMs nothing gathers.
    const commit = Math.min(this.#longestCommit, this.#plan.limits.maxWaitMs / 8);
    // What pauses before another attempt is a write that others wait beside.
    const pausing = this.#writes.filter(
      ({ mayRetry, items }) =>
        mayRetry &&
        items.some(({ text }) => this.#isPending(text)) &&
        !items.some(({ text }) => this.#settling.has(text)),
    );
    const began = [...busy.filter(({ kind }) => kind !== 'settle'), ...pausing].map((write) => write.began);
    const until = began.length > 0 ? Math.min(...began) + 3 * commit : this.#lastCommit + commit;
    this.#records.expect(
      now <= Math.max(until, this.#gathersSince ?? now) + 1,
      'items wait for others for a commit after the last one, or until a write has taken three times as long',
    );
  }

  judge(opened: number): void {
    const { expect } = this.#records;
    expect(
      this.events.length === this.#writes.length,
      `${this.#writes.length} writes, ${this.events.length} were told of`,
    );
    const items = this.events.reduce((sum, [, count]) => sum + count, 0);
    const written = this.#writes.reduce((sum, write) => sum + write.items.length, 0);
    expect(items === written, `${written} items were written, ${items} were told of`);
    expect(
      this.#othersFailed === 0 && this.#plan.closesAt === null
        ? this.retried === this.#retries
        : this.retried >= this.#retries,
      `${this.#retries} retries, ${this.retried} were told of`,
    );
    expect(opened === 0 || this.#plan.faults.length > 0 || this.#isSlow, 'no circuit opens without a fault');
    for (const text of this.#known) {
      const { answer, answered, deadline } = this.#records.byText.get(text) as ClientCall;
      expect(
        !(answer instanceof Unavailable) || answered >= deadline,
        `the outcome of ${text} is known, and it gets ${answer}`,
      );
    }
    this.#judgeDone();
  }

  #judgeDone(): void {
    const isClose = this.#writes.some(({ last, deadline }) => Math.abs(last.ended - deadline) < 2);
    if (this.#isUncertain || isClose) return;
    const done = this.#writes.filter(({ last, deadline }) => !last.error && last.ended < deadline);
    const told = this.events.filter(([outcome]) => outcome === 'done');
    this.#records.expect(told.length === done.length, `${done.length} writes are done, ${told.length} were told of`);
    const seconds = told.reduce((sum, [, , each]) => sum + each, 0);
    const took = done.reduce((sum, { last, began }) => sum + last.ended - began, 0) / 1_000;
    this.#records.expect(Math.abs(seconds - took) < 1e-6, `writes took ${took} s, ${seconds} s were told of`);
  }
}

function isSameWrite({ deadline, items }: Write, operation: Operation): boolean {
  return deadline === operation.deadline && items[0]?.text === operation.items[0]?.text;
}
