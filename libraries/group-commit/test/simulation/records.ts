import type { RecordedCall } from '@plant-store/testing';
import type { Outcome } from '../../src/batch-engine.ts';
import { Overloaded } from '../../src/errors.ts';
import type { GroupCommitEvents } from '../../src/events.ts';
import type { Plan } from './plan.ts';

/** What clients write. Each text is that of one call alone. */
export interface Line {
  readonly key: string;
  text: string;
  readonly size: number;
  readonly isRefused: boolean;
}

export type Result = 'added' | { readonly exists: string };

/** A call of `submit`. */
export interface Call {
  readonly at: number;
  readonly line: Line;
  readonly called: number;
  readonly deadline: number;
  /** How many waited before it, and when the oldest of them was called. */
  readonly waited: number;
  readonly oldest: number;
  /** Whether the circuit was open. */
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
  /** Whether the circuit was open when it was answered. */
  isOpen: boolean;
}

/** A call of the engine's `write` or `settle`. */
export interface Operation {
  readonly kind: 'write' | 'settle';
  readonly items: readonly Line[];
  readonly began: number;
  readonly deadline: number;
  ended: number;
  error?: Error;
  outcomes?: readonly Outcome<Result>[];
}

/** Items that are written together. */
export interface Batch {
  /** Those who left the queue together, repeats included. */
  readonly calls: readonly Call[];
  /** Repeats that are in the queue again. */
  readonly queuedAgain: Set<Call>;
  /** All attempts, the first of which is a write. */
  readonly operations: Operation[];
  /** How many writes had succeeded when it began. */
  readonly successes: number;
  readonly isOpen: boolean;
  /** How many writes are in flight that somebody waits for, this one included. */
  readonly inFlight: number;
}

/** What a run has shown. */
export interface Run {
  readonly plan: Plan;
  readonly calls: Call[];
  readonly checks: Check[];
  readonly batches: Batch[];
  /** Of the circuit; whether something was failing then that no success had followed. */
  readonly states: { readonly state: 'open' | 'closed'; readonly at: number; readonly isFailing: boolean }[];
  readonly wrote: Parameters<Required<GroupCommitEvents>['wrote']>[];
  /** When the engine was asked to probe and to close. */
  readonly probes: number[];
  readonly closes: number[];
  /** When `close` was called, and when it resolved. */
  closing: number;
  closed: number;
  retried: number;
  /** For how many milliseconds too long items have waited for others. */
  gatheredTooLong: number;
  /** Timers and items that are left in the end. */
  left: number;
  /** The failed writes, of which no other has succeeded since they began: they have to open the circuit. */
  readonly opening: Operation[];
  /** What somebody else has written. */
  readonly foreign: RecordedCall<string, string>[];
  readonly rows: ReadonlyMap<string, string>;
  /** The texts of items that were written by operations which have failed. */
  readonly lost: ReadonlySet<string>;
  /** How often faults took effect, by their kind. */
  readonly delivered: Readonly<Record<string, number>>;
  /** Everything that has happened, in its order. */
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

/** The item's own call, and those of its repeats that are not in the queue again. */
export function callsOf({ calls, queuedAgain }: Batch, { text, key }: Line): readonly Call[] {
  const first = calls.findIndex(({ line }) => line.text === text);
  return calls.slice(first).filter((call) => call.line.key === key && !queuedAgain.has(call));
}

export const textsOf = (items: readonly Line[]): string => items.map(({ text }) => text).join();
