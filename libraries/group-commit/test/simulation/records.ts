import type { RecordedCall } from '@plant-store/testing';
import type { GroupCommitEvents } from '../../src/events.ts';
import type { FaultKind, Plan } from './plan.ts';

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
  /** The callers that wait for an equal key, this one included. */
  readonly group: Group;
  /** The number of callers that waited at the call, and the time of the oldest of the items that had not been written yet. */
  readonly waiting: number;
  readonly oldest: number;
  /** The failure of the engine at the call. */
  readonly failure: Error | undefined;
  /** Whether the library was closed before. */
  readonly isLate: boolean;
  answered: number;
  answer: Result | Error | undefined;
}

/** Callers with equal keys, of whom somebody has waited all the time. */
export interface Group {
  readonly calls: Call[];
  /** The writes of their items. */
  readonly writes: Write[];
}

/** A call of `check`. */
interface Check {
  readonly called: number;
  answered: number;
  error: unknown;
  /** The failure of the engine when the check settled. */
  failure: Error | undefined;
  /** Whether a probe was in flight at the call, and whether the library was closed before. */
  readonly isProbing: boolean;
  readonly isLate: boolean;
}

/** A call of the engine's `write`. */
export interface Write {
  readonly items: readonly Item[];
  readonly groups: readonly Group[];
  readonly began: number;
  readonly deadline: number;
  /** The latest deadline of the callers that waited when it began. */
  readonly latest: number;
  /** Whether an older item waited for its first write. */
  readonly isPassing: boolean;
  /** The write of the whole batch, of which this may be a part. */
  readonly whole: Write | undefined;
  /** The batches in flight with waiting callers, this one included, without items that were locked when written alone. */
  inFlight: number;
  readonly failure: Error | undefined;
  ended: number;
  error?: Error;
  results?: readonly (Result | Error)[];
}

/** A call of the engine's `probe`. */
export interface Probe {
  readonly began: number;
  readonly deadline: number;
  ended: number;
  error?: Error;
}

/** The time of what has not happened: later than all others. */
export const NEVER = Number.POSITIVE_INFINITY;

/** The records of a run. */
export interface Run {
  readonly plan: Plan;
  readonly calls: Call[];
  readonly checks: Check[];
  readonly writes: Write[];
  readonly probes: Probe[];
  /** The times of the engine's `close` calls. */
  readonly closes: number[];
  readonly wrote: Parameters<Required<GroupCommitEvents>['wrote']>[];
  readonly health: { readonly at: number; readonly failure: Error | undefined }[];
  retried: number;
  /** The greatest difference between the number of callers and what `watchWaiting` said. */
  miscounted: number;
  /** The longest time that an item waited although it should be written, in milliseconds. */
  idleMs: number;
  /** The times when `close` was called and when it resolved. */
  closing: number;
  closed: number;
  /** The beginning of the minute without items. */
  idleFrom: number;
  /** The number of timers that are left at the end. */
  left: number;
  /** The items of other writers. */
  readonly external: RecordedCall<string, string>[];
  rows: ReadonlyMap<string, string>;
  delivered: Readonly<Partial<Record<FaultKind, number>>>;
  /** All events in their order. */
  readonly trace: string[];
}

export const isUnanswered = ({ answered }: Call): boolean => answered === NEVER;

export const isAwaited = ({ groups }: Write): boolean => groups.some(({ calls }) => calls.some(isUnanswered));

export const isTransient = (error: unknown): boolean => error instanceof Error && /^transient/.test(error.message);

export const isClosedError = (error: unknown): boolean => error instanceof Error && error.message === 'it is closed';

/** The end of a probe as the library sees it. */
export const findEnd = ({ ended, deadline }: Probe): number => Math.min(ended, deadline);

export const joinTexts = (items: readonly Item[]): string => items.map(({ text }) => text).join();
