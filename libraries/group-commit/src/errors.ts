/** The engine cannot answer: it is unreachable, too slow, overloaded or closed. Whether the item was written is unknown. */
export class Unavailable extends Error {
  override name = 'Unavailable';
}

/** There is more to do than can be done in time; the item was refused at once. */
export class Overloaded extends Unavailable {
  override name = 'Overloaded';
}

/** The engine cannot answer, and waiting does not help: its settings have to be changed. */
export class Misconfigured extends Unavailable {
  override name = 'Misconfigured';
}

/**
 * What a probe throws if items would be written and must not be: what the engine acknowledges would be lost, for example.
 * Items are refused until a probe resolves.
 */
export class Unsafe extends Misconfigured {
  override name = 'Unsafe';
}

/** The classes by which errors are made and told apart. They extend one another as the package's own do. */
export interface ErrorClasses {
  readonly Unavailable: ErrorClass;
  readonly Overloaded: ErrorClass;
  readonly Misconfigured: ErrorClass;
  readonly Unsafe: ErrorClass;
}

/** The class of an error. */
export type ErrorClass = new (message: string) => Error;

/** Those of this package. */
export const ownErrors: ErrorClasses = { Unavailable, Overloaded, Misconfigured, Unsafe };
