import type { BatchEngine, Failure } from '../../src/batch-engine.ts';
import type { Fault, FaultKind, Plan } from './plan.ts';
import { createRandom } from './random.ts';
import type { Item, Result } from './records.ts';

/** The clock of an engine. */
export interface Clock {
  now(): number;
  after(ms: number, callback: () => void): void;
  sleep(ms: number): Promise<void>;
}

/** An engine that keeps the first item of each key, with the latencies and faults of its plan. */
export function simulatedEngine(
  plan: Plan,
  { now, after, sleep }: Clock,
  wroteByOthers: (key: string, text: string, since: number) => void,
) {
  const { fixedMs, perItemMs, lockWaitMs, blames, isPunctual } = plan.engine;
  const random = createRandom(plan.seed);
  const rows = new Map<string, string>();
  const delivered: Partial<Record<FaultKind, number>> = {};
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
    wroteByOthers(fault.key, text, fault.at);
  }

  /** Applies an active fault of this kind, if there is one. */
  function take(kind: FaultKind, matches: (fault: Fault, left: number) => boolean = () => true): Fault | undefined {
    const [fault, left = 0] = [...active].find(([each, times]) => each.kind === kind && matches(each, times)) ?? [];
    if (!fault) return undefined;
    active.set(fault, left - 1);
    delivered[kind] = (delivered[kind] ?? 0) + 1;
    return fault;
  }

  const hasUsesLeft = (_: Fault, left: number) => left > 0;

  /** Throws if a callback is broken. */
  function callBack(which: number): void {
    if (take('breaks', ({ magnitude }) => magnitude % 5 === which)) throw new TypeError('a callback is broken');
  }

  /** Ends the work at its deadline, although its effects may still come. */
  async function punctually<T>(work: Promise<T>, deadline: number): Promise<T> {
    const late = sleep(Math.max(0, deadline - now())).then(() => Promise.reject(new Error('transient: cancelled')));
    late.catch(() => {});
    return isPunctual ? Promise.race([work, late]) : work;
  }

  async function write(items: readonly Item[]): Promise<readonly (Result | Error)[]> {
    const slow = take('slow');
    const hanging = take('hangs');
    await sleep((fixedMs + perItemMs * items.length) * (0.5 + random()) + (slow ? 100 * slow.magnitude : 0));
    if (hanging) await hang(hanging);
    if (items.some(isLocked)) await sleep(lockWaitMs);
    failIfDown();
    if (take('transient', hasUsesLeft)) throw new Error('transient: nothing was written');
    const isLost = take('lost', hasUsesLeft);
    const dies = take('dies');
    if (dies && random() < 0.5) throw new Error('died before the commit');
    const results = commit(items);
    if (isLost) throw new Error('transient: the connection is lost');
    if (dies) throw new Error('died after the commit');
    return take('miscounts') ? results.slice(1) : results;
  }

  async function probe(): Promise<void> {
    const hanging = take('hangs');
    await sleep(1 + 100 * (take('slowProbe')?.magnitude ?? 0));
    if (hanging) await hang(hanging);
    failIfDown();
    if (take('transient', hasUsesLeft)) throw new Error('transient: the probe');
    if (take('tableLocked')) throw new Error('locked: the probe');
    if (take('unsafe')) throw new Error('unsafe');
  }

  function failIfDown(): void {
    const down = take('down');
    if (down) throw new Error(down.magnitude % 2 === 0 ? 'transient: down' : 'down');
  }

  async function hang({ at, forMs }: Fault): Promise<void> {
    await sleep(Math.max(0, at + forMs - now()));
    const fate = random();
    if (fate < 0.2) await new Promise(() => {});
    if (fate < 0.5) throw new Error('transient: the connection has timed out');
  }

  const isLocked = ({ key }: Item) =>
    !rows.has(key) && [...active.keys()].some((fault) => fault.kind === 'tableLocked' || locksKey(fault, key));
  const locksKey = (fault: Fault, key: string) => fault.kind === 'locks' && fault.key === key;

  function commit(items: readonly Item[]): readonly (Result | Error)[] {
    const errors = items.map((item) => {
      if (rows.has(item.key)) return undefined;
      if (take('tableLocked') || take('locks', (fault) => locksKey(fault, item.key))) return new Error('locked');
      return item.isRefused ? new RangeError(`refused ${item.text}`) : undefined;
    });
    const error = errors.find((each) => each !== undefined);
    if (error && blames === 'thrown') throw error;
    return items.map((item, at) => {
      const exists = rows.get(item.key);
      if (exists !== undefined) return { exists };
      const own = error && blames === 'batch' ? error : errors[at];
      if (own) return own;
      rows.set(item.key, item.text);
      return 'added';
    });
  }

  function classify({ message }: Error): Failure {
    callBack(0);
    const [, kind] = /^(transient|locked|refused)/.exec(message) ?? [];
    return (kind as Failure | undefined) ?? 'other';
  }

  const engine: Required<BatchEngine<Item, Result>> = {
    write: (items, deadline) => punctually(write(items), deadline),
    probe: (deadline) => punctually(probe(), deadline),
    close: async () => {},
    classify,
  };
  return { engine, rows, delivered, callBack };
}
