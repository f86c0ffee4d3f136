import type { BatchEngine } from '../batch-engine.ts';
import type { ErrorClass } from '../errors.ts';

/** How the contract gets an engine. The author of an engine supplies it. */
export interface EngineHarness<T, R> {
  /** Makes an empty place to write to, another one each time. */
  prepare(): Promise<EnginePlace<T, R>>;
}

/** A place that an engine writes to. If an optional member is missing, the clauses that need it are not checked. */
export interface EnginePlace<T, R> {
  /** The class of the errors that leave the outcome unknown. */
  readonly Unavailable: ErrorClass;
  /** Opens an engine on the place. */
  open(): Promise<BatchEngine<T, R>>;
  /** Makes an item. Two items have equal keys if, and only if, their numbers are equal. */
  item(number: number, text: string): T;
  /** Reads all items, without the engine. */
  stored(): Promise<readonly StoredItem[]>;
  /** Frees the place. */
  dispose(): Promise<void>;

  /** Returns the text that the key had before, or undefined if the result says that the item itself was written. */
  existing?(result: R): string | undefined;
  /** An item that the engine refuses. */
  readonly refused?: T;
  /** Has somebody else lock the key of this number, under which nothing is stored. */
  lock?(number: number): Promise<EndFault>;
  /** By their names, faults that keep an item from being written, or from being durable. */
  readonly outages?: Readonly<Record<string, () => Promise<EndFault>>>;
  /** Has the engine lose each response: its items are stored nevertheless. */
  loseResponses?(): Promise<EndFault>;
}

/** An item as the place has it. */
export interface StoredItem {
  readonly number: number;
  readonly text: string;
}

/** Ends a fault. */
export type EndFault = () => Promise<void>;
