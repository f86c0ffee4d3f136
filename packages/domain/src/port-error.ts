/**
 * An error of a port. It is recognized by its `code`, `StoreUnavailable.is(error)`, because an adapter may have its own copy of this
 * package. The code of a more specific error begins with that of the more general one, so a newer adapter may throw errors that this
 * copy does not know.
 */
export abstract class PortError extends Error {
  /** The code of this kind of error, which is part of the port. */
  static readonly code: string;
  /** The kind of the error, as with the errors of Node. */
  readonly code: string;

  constructor(message?: string, options?: ErrorOptions) {
    super(message, options);
    this.code = new.target.code;
    this.name = new.target.name;
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
