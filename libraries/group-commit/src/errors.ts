/** The engine cannot respond: it is unreachable, too slow, overloaded or closed. Whether the item was written is unknown. */
export class Unavailable extends Error {
  override name = 'Unavailable';
}

/** Too many items are waiting, or for too long. The item was rejected at once and not written. */
export class Overloaded extends Unavailable {
  override name = 'Overloaded';
}

/** The classes of thrown errors. */
export interface ErrorClasses {
  readonly Unavailable: new (message: string) => Error;
  readonly Overloaded: new (message: string) => Error;
}

/** Returns what was thrown, as an Error. */
export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
