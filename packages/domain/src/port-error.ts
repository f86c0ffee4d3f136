/**
 * An error of a port. An adapter may have a copy of this package of its own, so errors are recognized by their `code`, and never by
 * their class: `StoreUnavailable.is(error)`. The code of a more specific error begins with that of the more general one, so a newer
 * adapter may throw errors that this copy does not know.
 */
export abstract class PortError extends Error {
  /** The code of this kind of error. It never changes. */
  static readonly code: string;

  /** The kind of the error. Part of the port, as with the errors of Node. */
  readonly code: string;

  constructor(message?: string, options?: ErrorOptions) {
    super(message, options);
    this.code = new.target.code;
  }

  /** Whether a thrown value is an error of this kind, or of a more specific one. */
  static is<Kind extends PortError>(
    this: { readonly code: string; readonly prototype: Kind },
    error: unknown,
  ): error is Kind {
    const { code } = (error ?? {}) as { readonly code?: unknown };
    // biome-ignore lint/complexity/noThisInStatic: each class has a code of its own.
    return typeof code === 'string' && `${code}_`.startsWith(`${this.code}_`);
  }
}
