import type { BatchEngine, Outcome } from '../../src/batch-engine.ts';
import { Misconfigured, Unavailable, Unsafe } from '../../src/errors.ts';
import type { Platform } from '../../src/platform.ts';
import type { Fault, Plan } from './plan.ts';
import { randomFrom } from './random.ts';
import { type Item, isTransient, type Operation, type Result } from './records.ts';

/** Observes the engine's calls. */
export interface Observer {
  began(operation: Operation): void;
  ended(operation: Operation): void;
  probes(): void;
  closes(): void;
  /** Another writer has committed an item. */
  wrote(key: string, text: string, from: number): void;
}

/** An engine that keeps the first item of each key, with the latencies and faults of its plan. */
export function simulatedEngine(plan: Plan, { now, after, sleep }: Platform, observer: Observer) {
  const { fixedMs, perItemMs, takenOutcome, refusesBy, hasCircuitBreaker } = plan.engine;
  const random = randomFrom(plan.seed);
  const rows = new Map<string, string>();
  const lost = new Set<string>();
  const delivered: Record<string, number> = {};
  /** The remaining effects of each active fault. */
  const active = new Map<Fault, number>();
  for (const fault of plan.faults) {
    after(fault.at, () => void active.set(fault, fault.magnitude));
    after(fault.at + fault.forMs, () => end(fault));
  }

  function end(fault: Fault): void {
    active.delete(fault);
    if (fault.kind !== 'locks' || fault.magnitude % 2 === 0 || rows.has(fault.key)) return;
    const text = `of somebody else since ${fault.at}`;
    rows.set(fault.key, text);
    observer.wrote(fault.key, text, fault.at);
  }

  /** Applies an active fault of this kind, if there is one. */
  function take(kind: Fault['kind'], matches: (fault: Fault, left: number) => boolean = () => true): Fault | undefined {
    const [fault, left = 0] = [...active].find(([each, times]) => each.kind === kind && matches(each, times)) ?? [];
    if (!fault) return undefined;
    active.set(fault, left - 1);
    delivered[kind] = (delivered[kind] ?? 0) + 1;
    return fault;
  }

  async function operate(kind: Operation['kind'], items: readonly Item[], deadline: number) {
    const operation: Operation = { kind, items, began: now(), deadline, ended: Infinity };
    observer.began(operation);
    try {
      operation.outcomes = await attempt(items, kind === 'settle' ? 'exists' : takenOutcome);
      return operation.outcomes;
    } catch (error) {
      operation.error = error as Error;
      throw error;
    } finally {
      operation.ended = now();
      observer.ended(operation);
    }
  }

  async function attempt(items: readonly Item[], ofTaken: typeof takenOutcome): Promise<readonly Outcome<Result>[]> {
    const slow = take('slow');
    const hanging = take('hangs');
    await sleep((fixedMs + perItemMs * items.length) * (0.5 + random()) + (slow ? 100 * slow.magnitude : 0));
    if (hanging) await hang(hanging);
    failIfDown();
    if (take('transient', hasUsesLeft)) throw new Unavailable('transient: nothing was written');
    if (take('lost', hasUsesLeft)) throw lose(items, ofTaken, 'transient: the connection is lost');
    if (take('dies')) {
      if (random() < 0.5) throw new Unavailable('died before the commit');
      throw lose(items, ofTaken, 'died after the commit');
    }
    return commit(items, ofTaken);
  }

  const hasUsesLeft = (_: Fault, left: number) => left > 0;

  function failIfDown(): void {
    if (take('down')) throw new Unavailable('down');
    if (take('misconfigured')) throw new Misconfigured('misconfigured');
  }

  async function hang({ at, forMs }: Fault): Promise<void> {
    await sleep(Math.max(0, at + forMs - now()));
    const fate = random();
    if (fate < 0.2) await new Promise(() => {});
    if (fate < 0.5) throw new Unavailable('the connection has timed out');
  }

  /** Writes the items although the connection is lost. */
  function lose(items: readonly Item[], ofTaken: typeof takenOutcome, message: string): Unavailable {
    const before = new Set(rows.values());
    commit(items, ofTaken);
    for (const text of rows.values()) if (!before.has(text)) lost.add(text);
    return new Unavailable(message);
  }

  function commit(items: readonly Item[], ofTaken: typeof takenOutcome): readonly Outcome<Result>[] {
    const isConflict = ({ key }: Item) =>
      rows.has(key) ? ofTaken === 'conflict' : take('locks', (fault) => fault.key === key) !== undefined;
    const refused = items.find((item) => item.isRefused && !isConflict(item));
    if (refused && refusesBy === 'rejection') throw new RangeError(`refused ${refused.text}`);
    return items.map((item) => {
      if (isConflict(item)) return 'conflict';
      if (item.isRefused) return { refused: new RangeError(`refused ${item.text}`) };
      const exists = rows.get(item.key);
      if (exists !== undefined) return { done: { exists } };
      rows.set(item.key, item.text);
      return { done: 'added' };
    });
  }

  const engine: Required<BatchEngine<Item, Result>> = {
    hasCircuitBreaker,
    isTransient,
    write: (items, deadline) => operate('write', items, deadline),
    settle: (items, deadline) => operate('settle', items, deadline),
    async probe() {
      observer.probes();
      await sleep(1);
      const hanging = take('hangs');
      if (hanging) await hang(hanging);
      failIfDown();
      if (take('unsafe')) throw new Unsafe('unsafe');
    },
    async close() {
      observer.closes();
    },
  };
  return { engine, rows, lost, delivered };
}
