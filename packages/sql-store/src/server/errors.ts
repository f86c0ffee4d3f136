import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';

/** What the adapter of a database server knows of its errors. */
interface ServerErrors {
  /** What the server is called in messages: `PostgreSQL`. */
  readonly server: string;
  /** The server's code of an error, or that of a system; undefined if it has none. */
  codeOf(error: unknown): string | number | undefined;
  /** What the operator can do about it, if that is known; `<table>` stands for the name of the table. */
  hintFor(error: unknown): string | undefined;
  /** Whether waiting does not help: the connection string, or the server's users and databases have to be changed. */
  isMisconfigured(error: unknown): boolean;
}

/** Makes the functions that say what a failure of a database server means to the operator. */
export function serverErrors({ server, codeOf, hintFor, isMisconfigured }: ServerErrors) {
  /** Without what {@link storeUnavailable} begins with. */
  function messageOf(error: unknown): string {
    // If a name has several addresses, or the connection string several hosts, it holds the error of each.
    if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ');
    return error instanceof Error ? error.message.replace(`${server}: `, '') : String(error);
  }

  function isMisconfiguration(error: unknown): boolean {
    // Among several hosts, one that may come back is worth waiting for.
    if (error instanceof AggregateError) return error.errors.every(isMisconfiguration);
    return error instanceof StoreMisconfigured || isMisconfigured(error);
  }

  /** A failure of the server, as {@link StoreUnavailable} with what the operator can do about it and its cause. */
  function storeUnavailable(cause: unknown, table = 'plants'): StoreUnavailable {
    if (cause instanceof StoreUnavailable) return cause;
    const [code, hint] = [codeOf(cause), hintFor(cause)?.replace('<table>', table)];
    const parts = [`${server}: ${messageOf(cause)}`, code && ` (${code})`, hint && `; ${hint}`];
    return new (isMisconfiguration(cause) ? StoreMisconfigured : StoreUnavailable)(parts.join(''), { cause });
  }

  return { messageOf, isMisconfiguration, storeUnavailable };
}

const unreachable = 'check that it runs and that host and port are right';

/** By a system's code. */
export const systemHints = {
  ECONNREFUSED: unreachable,
  EHOSTUNREACH: unreachable,
  ENOTFOUND: "check the host's name",
  ETIMEDOUT: unreachable,
} as const;

/** What to do about a table that is not there. */
export const NOT_MIGRATED = 'the database is not migrated, or the table was dropped: run the migrations, or restore it';
