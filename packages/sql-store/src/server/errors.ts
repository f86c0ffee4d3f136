import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';

/** What the adapter of a database server knows of its errors. */
interface ServerErrors {
  /** What the server is called in messages: `PostgreSQL`. */
  readonly server: string;
  /** Whether the server itself has reported the error, on a connection that is well. */
  isReported(error: unknown): boolean;
  /** By what rows know an error: its code, which messages show, and then the classes that it is of. */
  codesOf(error: unknown): readonly (string | number | undefined)[];
  readonly rows: readonly ErrorRow[];
  /** Whether the server refuses the plant itself; by default the rows say so. */
  refusesPlant?(error: unknown): boolean;
}

/** What is known of errors with some codes, or of some classes. */
interface ErrorRow {
  readonly codes: readonly (string | number)[];
  readonly means?: Meaning;
  /** What the operator can do; `<table>` stands for the name of the table. */
  readonly hint?: string;
}

/**
 * - `misconfigured`: waiting does not help, because the connection string, or the server's users and databases have to be
 *   changed.
 * - `lost`: the connection cannot be used again.
 * - `transient`: worth a retry at once, as what is lost is.
 * - `refused`: the server refuses the plant itself, so that sending it again will not help.
 */
type Meaning = 'misconfigured' | 'lost' | 'transient' | 'refused';

/** Makes the functions that say what a failure of a database server means to the operator, and to the store. */
export function serverErrors({ server, isReported, codesOf, rows, ...given }: ServerErrors) {
  const all = [...rows, ...systemErrors];
  const rowsOf = (error: unknown) =>
    codesOf(error).flatMap((code) => all.filter(({ codes }) => code !== undefined && codes.includes(code)));
  const is = (error: unknown, meaning: Meaning) => rowsOf(error).some(({ means }) => means === meaning);
  const { refusesPlant = (error) => is(error, 'refused') } = given;

  /** Without what {@link storeUnavailable} begins with. */
  function messageOf(error: unknown): string {
    // If a name has several addresses, or the connection string several hosts, it holds the error of each.
    if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ');
    return error instanceof Error ? error.message.replace(`${server}: `, '') : String(error);
  }

  /** The first that there is. */
  function hintFor(error: unknown): string | undefined {
    const hints = rowsOf(error).map(({ hint }) => hint);
    return [...hints, ...(error instanceof AggregateError ? error.errors.map(hintFor) : [])].find(Boolean);
  }

  function isMisconfiguration(error: unknown): boolean {
    // Among several hosts, one that may come back is worth waiting for.
    if (error instanceof AggregateError) return error.errors.every(isMisconfiguration);
    return error instanceof StoreMisconfigured || is(error, 'misconfigured');
  }

  /** A failure of the server, as {@link StoreUnavailable} with what the operator can do about it and its cause. */
  function storeUnavailable(cause: unknown, table = 'plants'): StoreUnavailable {
    if (cause instanceof StoreUnavailable) return cause;
    const [[code], hint] = [codesOf(cause), hintFor(cause)?.replace('<table>', table)];
    const parts = [`${server}: ${messageOf(cause)}`, code && ` (${code})`, hint && `; ${hint}`];
    return new (isMisconfiguration(cause) ? StoreMisconfigured : StoreUnavailable)(parts.join(''), { cause });
  }

  /** A refusal of a plant by the server. */
  function plantRefused(cause: Error): PlantRefused {
    return new PlantRefused(`${server}: ${cause.message} (${codesOf(cause)[0]})`, { cause });
  }

  /**
   * Whether the failure leaves its connection unusable: everything that the server did not report itself, such as a lost
   * connection or a statement that never ended, and what it reports when it shuts down or must not be written to.
   */
  const isConnectionError = (error: unknown) => !isReported(error) || is(error, 'lost');

  /**
   * Whether the failure is worth a retry at once: the connection was lost or refused; the server shuts down, is no longer
   * the one that writes, broke a deadlock or a conflict of two nodes, or has no slot free.
   */
  function isTransient(error: unknown): boolean {
    const cause = error instanceof StoreUnavailable ? error.cause : error;
    if (cause instanceof AggregateError) return cause.errors.some(isTransient);
    if (!isReported(cause)) return cause instanceof Error && !(cause instanceof PlantRefused);
    return !refusesPlant(cause) && (isConnectionError(cause) || is(cause, 'transient'));
  }

  return {
    messageOf,
    isMisconfiguration,
    storeUnavailable,
    plantRefused,
    refusesPlant,
    isConnectionError,
    isTransient,
  };
}

const unreachable = 'check that it runs and that host and port are right';

/** By a system's code. A host that is known but unreachable may be starting up. */
const systemErrors: readonly ErrorRow[] = [
  { codes: ['ECONNREFUSED', 'EHOSTUNREACH', 'ENOENT', 'ETIMEDOUT'], hint: unreachable },
  { codes: ['ENOTFOUND'], means: 'misconfigured', hint: "check the host's name" },
];

/** What to do about a table that is not there. */
export const NOT_MIGRATED = 'the database is not migrated, or the table was dropped: run the migrations, or restore it';
