import type { RecordedCall } from '@plant-store/testing';
import type { Outcome } from '../../src/batch-engine.ts';
import { Overloaded } from '../../src/errors.ts';
import type { GroupCommitEvents } from '../../src/events.ts';
import type { Plan } from './plan.ts';

/** An item of a client. Each call has a unique text. */
export interface Item {
  readonly key: string;
  text: string;
  readonly size: number;
  readonly isRefused: boolean;
}

export type Result = 'added' | { readonly exists: string };

/** A call of `submit`. */
export interface Call {
  readonly at: number;
  readonly item: Item;
  readonly called: number;
  readonly deadline: number;
  /** The length and the size of the queue at the call, and the time of the oldest call in the queue. */
  readonly waited: number;
  readonly waitedSize: number;
  readonly oldest: number;
  /** Whether the circuit was open at the call. */
  readonly isOpen: boolean;
  answered: number;
  answer: Result | Error | undefined;
}

/** A call of `check`. */
export interface Check {
  readonly called: number;
  readonly deadline: number;
  answered: number;
  error: unknown;
  /** Whether the circuit was open when the check settled. */
  isOpen: boolean;
}

/** A call of the engine's `write` or `settle`. */
export interface Operation {
  readonly kind: 'write' | 'settle';
  readonly items: readonly Item[];
  readonly began: number;
  readonly deadline: number;
  ended: number;
  error?: Error;
  outcomes?: readonly Outcome<Result>[];
}

/** Items that are written together. */
export interface Batch {
  /** The calls that left the queue together, duplicates included. */
  readonly calls: readonly Call[];
  /** The call that was then the first in the queue. */
  readonly next: Call | undefined;
  /** Duplicates that are in the queue again. */
  readonly requeued: Set<Call>;
  /** All attempts in their order. The first is a write. */
  readonly operations: Operation[];
  /** The number of successful writes when the batch started. */
  readonly successes: number;
  readonly isOpen: boolean;
  /** The writes in flight with waiting callers, including this one. */
  readonly inFlight: number;
}

/** The records of a run. */
export interface Run {
  readonly plan: Plan;
  readonly calls: Call[];
  readonly checks: Check[];
  readonly batches: Batch[];
  /** The states of the circuit, and whether a write was then failing without a later success. */
  readonly states: { readonly state: 'open' | 'closed'; readonly at: number; readonly isFailing: boolean }[];
  readonly wrote: Parameters<Required<GroupCommitEvents<Call | undefined>>['wrote']>[];
  /** The times of the engine's `probe` and `close` calls. */
  readonly probes: number[];
  readonly closes: number[];
  /** The times when `close` was called and when it resolved. */
  closing: number;
  closed: number;
  retried: number;
  /** The longest excess of a wait for other items, in milliseconds. */
  excessWaitMs: number;
  /** The number of timers and items that are left at the end. */
  left: number;
  /** The failed writes without a success since their start, which must open the circuit. */
  readonly opening: Operation[];
  /** The items of other writers. */
  readonly external: RecordedCall<string, string>[];
  readonly rows: ReadonlyMap<string, string>;
  /** The texts of items that were written although their operation failed. */
  readonly lost: ReadonlySet<string>;
  /** The number of effects of each kind of fault. */
  readonly delivered: Readonly<Record<string, number>>;
  /** All events in their order. */
  readonly trace: string[];
}

export const isUnanswered = ({ answered }: Call): boolean => answered === Infinity;

export const isTransient = (error: unknown): boolean => error instanceof Error && /^transient/.test(error.message);

export const isCircuitOpen = ({ message }: Error): boolean => message.endsWith('(circuit breaker open)');

export const isClosedError = (error: unknown): boolean =>
  error instanceof Error && error.message === 'the engine is closed';

/** Whether the item was certainly not written. */
export const isRefusedAtOnce = (error: Error): boolean =>
  error instanceof Overloaded || isCircuitOpen(error) || isClosedError(error);

/** The item's own call, and those of its duplicates that are not in the queue again. */
export function callsOf(batch: Batch, item: Item): readonly Call[] {
  return callersOf(batch, item).filter((call) => !batch.requeued.has(call));
}

/** The calls that get their result from an item of a batch, and those that waited for it until it was refused. */
export function callersOf({ calls }: Batch, { text, key }: Item): readonly Call[] {
  const first = calls.findIndex(({ item }) => item.text === text);
  return calls.slice(first).filter((call) => call.item.key === key);
}

export const writesOf = ({ operations }: Batch): readonly Operation[] =>
  operations.filter(({ kind }) => kind === 'write');

export const settlesOf = ({ operations }: Batch): readonly Operation[] =>
  operations.filter(({ kind }) => kind === 'settle');

export const textsOf = (items: readonly Item[]): string => items.map(({ text }) => text).join();
