import type { BatchEngine, Outcome } from '../../src/batch-engine.ts';
import { Misconfigured, Unavailable, Unsafe } from '../../src/errors.ts';
import type { Platform } from '../../src/platform.ts';
import type { Fault, Plan } from './plan.ts';
import { randomFrom } from './random.ts';
import { isTransient, type Line, type Operation, type Result } from './records.ts';

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
export function simulatedEngine(plan: Plan, { now, after, sleep }: Platform, observer: Observer) {
  const { fixedMs, perItemMs, saysOfTaken, refusesBy, hasCircuitBreaker } = plan.engine;
  const random = randomFrom(plan.seed);
  const rows = new Map<string, string>();
  const lost = new Set<string>();
  const delivered: Record<string, number> = {};
  /** With how often each may still take effect. */
  const active = new Map<Fault, number>();
  for (const fault of plan.faults) {
    after(fault.at, () => void active.set(fault, fault.howMuch));
    after(fault.at + fault.forMs, () => end(fault));
  }

  function end(fault: Fault): void {
    active.delete(fault);
    if (fault.kind !== 'locks' || fault.howMuch % 2 === 0 || rows.has(fault.key)) return;
    const text = `of somebody else since ${fault.at}`;
    rows.set(fault.key, text);
    observer.wrote(fault.key, text, fault.at);
  }

  /** The fault of this kind, which takes effect now. */
  function take(kind: Fault['kind'], isMeant: (fault: Fault, left: number) => boolean = () => true): Fault | undefined {
    const [fault, left = 0] = [...active].find(([each, times]) => each.kind === kind && isMeant(each, times)) ?? [];
    if (!fault) return undefined;
    active.set(fault, left - 1);
    delivered[kind] = (delivered[kind] ?? 0) + 1;
    return fault;
  }

  async function operate(kind: Operation['kind'], items: readonly Line[], deadline: number) {
    const operation: Operation = { kind, items, began: now(), deadline, ended: Infinity };
    observer.began(operation);
    try {
      operation.outcomes = await attempt(items, kind === 'settle' ? 'exists' : saysOfTaken);
      return operation.outcomes;
    } catch (error) {
      operation.error = error as Error;
      throw error;
    } finally {
      operation.ended = now();
      observer.ended(operation);
    }
  }

  async function attempt(items: readonly Line[], ofTaken: typeof saysOfTaken): Promise<readonly Outcome<Result>[]> {
    const slow = take('slow');
    const hanging = take('hangs');
    await sleep((fixedMs + perItemMs * items.length) * (0.5 + random()) + (slow ? 100 * slow.howMuch : 0));
    if (hanging) await hang(hanging);
    failIfDown();
    if (take('transient', isLeft)) throw new Unavailable('transient: nothing was written');
    if (take('lost', isLeft)) throw lose(items, ofTaken, 'transient: the connection is lost');
    if (take('dies')) {
      if (random() < 0.5) throw new Unavailable('died before the commit');
      throw lose(items, ofTaken, 'died after the commit');
    }
    return commit(items, ofTaken);
  }

  const isLeft = (_: Fault, left: number) => left > 0;

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

  /** What an operation did before its connection was lost. */
  function lose(items: readonly Line[], ofTaken: typeof saysOfTaken, message: string): Unavailable {
    const before = new Set(rows.values());
    commit(items, ofTaken);
    for (const text of rows.values()) if (!before.has(text)) lost.add(text);
    return new Unavailable(message);
  }

  function commit(items: readonly Line[], ofTaken: typeof saysOfTaken): readonly Outcome<Result>[] {
    const isConflict = ({ key }: Line) =>
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

  const engine: Required<BatchEngine<Line, Result>> = {
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
