import type { BatchEngine, Outcome } from '../../src/batch-engine.ts';
import { Misconfigured, Unavailable, Unsafe } from '../../src/errors.ts';
import type { Platform } from '../../src/platform.ts';
import type { Fault, Plan } from './plan.ts';
import { randomFrom } from './random.ts';
import type { Line, Result } from './records.ts';

/** A call of `write` or `settle`, as the engine saw it. */
export interface Operation {
  readonly kind: 'write' | 'settle';
  readonly items: readonly Line[];
  readonly began: number;
  readonly deadline: number;
  ended: number;
  error?: Error;
  outcomes?: readonly Outcome<Result>[];
}

type OfTaken = Plan['engine']['saysOfTaken'];

/** Is told of what the engine is asked for. */
export interface Observer {
  began(operation: Operation): void;
  ended(operation: Operation): void;
  probes(): void;
  closes(): void;
  /** Somebody else has written under a key. */
  wrote(key: string, text: string, from: number): void;
}

/** A store of rows, of which the first with a key stays. It is as slow, and fails, as its plan says. */
export class SimulatedEngine implements BatchEngine<Line, Result> {
  readonly rows = new Map<string, string>();
  /** What was written by an operation that has failed. */
  readonly lost = new Set<string>();
  /** How often faults took effect, by their kind. */
  readonly delivered: Record<string, number> = {};
  readonly hasCircuitBreaker: boolean;
  readonly #plan: Plan;
  readonly #platform: Platform;
  readonly #observer: Observer;
  readonly #random: () => number;
  /** With how often each may still take effect. */
  readonly #active = new Map<Fault, number>();

  constructor(plan: Plan, platform: Platform, observer: Observer) {
    this.#plan = plan;
    this.#platform = platform;
    this.#observer = observer;
    this.#random = randomFrom(plan.seed);
    this.hasCircuitBreaker = plan.engine.hasCircuitBreaker;
    for (const fault of plan.faults) {
      platform.after(fault.at, () => void this.#active.set(fault, fault.howMuch));
      platform.after(fault.at + fault.forMs, () => this.#end(fault));
    }
  }

  write(items: readonly Line[], deadline: number): Promise<readonly Outcome<Result>[]> {
    return this.#operate('write', items, deadline, this.#plan.engine.saysOfTaken);
  }

  settle(items: readonly Line[], deadline: number): Promise<readonly Outcome<Result>[]> {
    return this.#operate('settle', items, deadline, 'exists');
  }

  async probe(): Promise<void> {
    this.#observer.probes();
    await this.#platform.sleep(1);
    const hanging = this.#fault('hangs');
    if (hanging) await this.#hang(hanging);
    this.#failIfDown();
    if (this.#fault('unsafe')) throw new Unsafe('unsafe');
  }

  async close(): Promise<void> {
    this.#observer.closes();
  }

  isTransient(error: unknown): boolean {
    return error instanceof Error && error.message.startsWith('transient');
  }

  async #operate(
    kind: Operation['kind'],
    items: readonly Line[],
    deadline: number,
    saysOfTaken: OfTaken,
  ): Promise<readonly Outcome<Result>[]> {
    const operation: Operation = { kind, items, began: this.#platform.now(), deadline, ended: Infinity };
    this.#observer.began(operation);
    try {
      operation.outcomes = await this.#attempt(items, saysOfTaken);
      return operation.outcomes;
    } catch (error) {
      operation.error = error as Error;
      throw error;
    } finally {
      operation.ended = this.#platform.now();
      this.#observer.ended(operation);
    }
  }

  async #attempt(items: readonly Line[], saysOfTaken: OfTaken): Promise<readonly Outcome<Result>[]> {
    const { fixedMs, perItemMs } = this.#plan.engine;
    const slow = this.#fault('slow');
    const hanging = this.#fault('hangs');
    await this.#platform.sleep(
      (fixedMs + perItemMs * items.length) * (0.5 + this.#random()) + (slow ? 100 * slow.howMuch : 0),
    );
    if (hanging) await this.#hang(hanging);
    this.#failIfDown();
    if (this.#takes('transient')) throw new Unavailable('transient: nothing was written');
    if (this.#takes('lost')) throw this.#lose(items, saysOfTaken, 'transient: the connection is lost');
    if (this.#fault('dies')) {
      if (this.#random() < 0.5) throw new Unavailable('died before the commit');
      throw this.#lose(items, saysOfTaken, 'died after the commit');
    }
    return this.#commit(items, saysOfTaken);
  }

  #failIfDown(): void {
    if (this.#fault('down')) throw new Unavailable('down');
    if (this.#fault('misconfigured')) throw new Misconfigured('misconfigured');
  }

  /** What an operation did before its connection was lost. */
  #lose(items: readonly Line[], saysOfTaken: OfTaken, message: string): Unavailable {
    const before = new Set(this.rows.values());
    this.#commit(items, saysOfTaken);
    const written = new Set(this.rows.values());
    for (const { text } of items) if (written.has(text) && !before.has(text)) this.lost.add(text);
    return new Unavailable(message);
  }

  #commit(items: readonly Line[], saysOfTaken: OfTaken): readonly Outcome<Result>[] {
    const isConflict = ({ key }: Line) => (this.rows.has(key) ? saysOfTaken === 'conflict' : this.#isLocked(key));
    const refused = items.find((item) => item.isRefused && !isConflict(item));
    if (refused && this.#plan.engine.refusesBy === 'rejection') throw new RangeError(`refused ${refused.text}`);
    return items.map((item) => {
      if (isConflict(item)) return 'conflict';
      if (item.isRefused) return { refused: new RangeError(`refused ${item.text}`) };
      const exists = this.rows.get(item.key);
      if (exists !== undefined) return { done: { exists } };
      this.rows.set(item.key, item.text);
      return { done: 'added' };
    });
  }

  async #hang({ at, forMs }: Fault): Promise<void> {
    await this.#platform.sleep(Math.max(0, at + forMs - this.#platform.now()));
    const fate = this.#random();
    if (fate < 0.2) await new Promise(() => {});
    if (fate < 0.5) throw new Unavailable('the connection has timed out');
  }

  #end(fault: Fault): void {
    this.#active.delete(fault);
    if (fault.kind !== 'locks' || fault.howMuch % 2 === 0 || this.rows.has(fault.key)) return;
    const text = `of somebody else since ${fault.at}`;
    this.rows.set(fault.key, text);
    this.#observer.wrote(fault.key, text, fault.at);
  }

  /** The fault of this kind, which takes effect now. */
  #fault(kind: Fault['kind']): Fault | undefined {
    const fault = [...this.#active.keys()].find((each) => each.kind === kind);
    if (fault) this.#deliver(kind);
    return fault;
  }

  #deliver(kind: Fault['kind']): void {
    this.delivered[kind] = (this.delivered[kind] ?? 0) + 1;
  }

  #takes(kind: 'transient' | 'lost'): boolean {
    const [fault, left = 0] = [...this.#active].find(([each]) => each.kind === kind) ?? [];
    if (!fault || left === 0) return false;
    this.#active.set(fault, left - 1);
    this.#deliver(kind);
    return true;
  }

  #isLocked(key: string): boolean {
    const isLocked = [...this.#active.keys()].some((fault) => fault.kind === 'locks' && fault.key === key);
    if (isLocked) this.#deliver('locks');
    return isLocked;
  }
}
