/** The engine cannot respond: it is unreachable, too slow, overloaded or closed. Whether the item was written is unknown. */
export class Unavailable extends Error {
  override name = 'Unavailable';
}

/** The queue is full or too slow. The item was rejected at once and not written. */
export class Overloaded extends Unavailable {
  override name = 'Overloaded';
}

/** The engine cannot respond, and waiting does not help: its settings must be changed. */
export class Misconfigured extends Unavailable {
  override name = 'Misconfigured';
}

/** A probe found that items would be lost, or not durable. Items are rejected until a probe resolves. */
export class Unsafe extends Misconfigured {
  override name = 'Unsafe';
}

/** The classes of thrown errors. They must extend one another as the package's own do. */
export interface ErrorClasses {
  readonly Unavailable: ErrorClass;
  readonly Overloaded: ErrorClass;
  readonly Misconfigured: ErrorClass;
  readonly Unsafe: ErrorClass;
}

/** The class of an error. */
export interface ErrorClass {
  new (message: string): Error;
  /** Whether a thrown value is such an error. By default its class or a base class decides. */
  is?(error: unknown): boolean;
}

/** Whether a thrown value is an error of this class. */
export function isOf(type: ErrorClass, error: unknown): boolean {
  return type.is?.(error) ?? error instanceof type;
}

/** The package's own error classes. */
export const defaultErrors: ErrorClasses = { Unavailable, Overloaded, Misconfigured, Unsafe };
