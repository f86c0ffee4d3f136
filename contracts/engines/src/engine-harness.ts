import type { BatchEngine, ErrorClass } from '@plant-store/group-commit';

/** Gives the contract an engine. The author of an engine implements it. */
export interface EngineHarness<T, R> {
  /** Creates an empty place to write to, a new one each time. */
  prepare(): Promise<EnginePlace<T, R>>;
}

/** A place that an engine writes to, such as a table. Clauses whose optional members are missing are not checked. */
export interface EnginePlace<T, R> {
  /** The class of errors after which the outcome is unknown. */
  readonly Unavailable: ErrorClass;
  /** Opens an engine on the place. */
  open(): Promise<BatchEngine<T, R>>;
  /** Creates an item. Two items have equal keys if, and only if, their numbers are equal. */
  item(number: number, text: string): T;
  /** Reads all items, without the engine. */
  stored(): Promise<readonly StoredItem[]>;
  /** Frees the place. */
  dispose(): Promise<void>;

  /** Returns the text that was already stored, or undefined if the result says that this item was written. */
  existing?(result: R): string | undefined;
  /** An item that the engine rejects. */
  readonly refused?: T;
  /** Lets another transaction lock the key of this number, under which nothing is stored. */
  lock?(number: number): Promise<EndFault>;
  /** Faults by name that prevent items from being written or from being durable. */
  readonly outages?: Readonly<Record<string, () => Promise<EndFault>>>;
  /** Makes every response of the engine get lost, although its items are stored. */
  loseResponses?(): Promise<EndFault>;
}

/** An item that is stored. */
export interface StoredItem {
  readonly number: number;
  readonly text: string;
}

/** Ends a fault. */
export type EndFault = () => Promise<void>;
