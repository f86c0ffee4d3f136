import { PlantRefused, StoreUnavailable } from '@plant-store/domain';
import { NOT_MIGRATED, serverErrors, systemHints } from '@plant-store/sql-store';
import pg from 'pg';

/** What failures of PostgreSQL mean. */
export const postgresErrors = serverErrors({
  server: 'PostgreSQL',
  codeOf,
  hintFor(error) {
    const code = codeOf(error);
    return lacksPassword(error) ? 'give a password in the URL' : (hints[code] ?? hints[code.slice(0, 2)]);
  },
  isMisconfigured(error) {
    const code = codeOf(error);
    return lacksPassword(error) || [code, code.slice(0, 2)].some((known) => misconfigurations.has(known));
  },
});

/** A failure of PostgreSQL, as `StoreUnavailable` with what the operator can do about it and its cause. */
export const { storeUnavailable } = postgresErrors;

/** Whether the server asks for a password and pg has none; pg's error has no code. */
function lacksPassword(error: unknown): boolean {
  return error instanceof Error && /^SASL: .* client password must be/.test(error.message);
}

/**
 * Whether the failure leaves its connection unusable: everything that the server did not report itself, such as a lost
 * connection or a statement that never ended (no SQLSTATE), and what it reports when it shuts down or as a standby.
 */
export function isConnectionError(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || isLost(codeOf(error));
}

/** Whether a server ends a connection with that code, or should not have accepted it. */
function isLost(code: string): boolean {
  return code.startsWith('08') || code.startsWith('57P0') || code === READ_ONLY;
}

/** Whether the statement waited too long for a lock (`lock_timeout`). */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

/** A refusal of a plant by PostgreSQL. */
export function plantRefused(cause: Error): PlantRefused {
  return new PlantRefused(`PostgreSQL: ${cause.message} (${codeOf(cause)})`, { cause });
}

/**
 * What to throw for an error of an add or a check: what PostgreSQL reports is {@link StoreUnavailable}, or
 * {@link PlantRefused} if it refuses the plant itself. Other errors come back as they are. None shows a plant.
 */
export function translateError(error: unknown, table?: string): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  // The failing row, and the statement's parameters (`log_parameter_max_length_on_error`).
  Object.assign(error, { detail: undefined, where: undefined });
  return refusesPlant(error) ? plantRefused(error) : storeUnavailable(error, table);
}

/**
 * Whether the server refuses the plant itself, so that sending it again will not help: a value that does not fit (class
 * 22), a constraint (23), a limit such as the size of an index entry (54), a row-level security policy, what a trigger
 * raises. So it is every class but those of the server's own troubles.
 */
export function refusesPlant(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  const [code, { routine = '' }] = [codeOf(error), error];
  // RAISE takes any SQLSTATE, and these say nothing of the server then: insufficient_privilege, feature_not_supported and so on.
  if (routine === 'exec_stmt_raise' && ['0A', '42', '55'].includes(code.slice(0, 2))) return true;
  // Of all missing privileges, a row-level security policy is the only one that is about a row.
  if (code === '42501') return routine === 'ExecWithCheckOptions';
  // The server has no transaction ids left, which is of class 54.
  if (['GetNewTransactionId', 'GetNewMultiXactId'].includes(routine)) return false;
  return code.length === 5 && !NOT_OF_PLANTS.includes(code.slice(0, 2));
}

/**
 * Classes of SQLSTATEs that are about the connection, the transaction, the statement or the server, and not about a row
 * (PostgreSQL documentation, appendix A).
 */
const NOT_OF_PLANTS: readonly string[] = '08 0A 0B 0L 0P 24 25 26 28 2D 34 3B 3D 3F 40 42 53 55 57 58 F0 HV XX'.split(
  ' ',
);

/**
 * Whether the failure is worth a retry at once: the connection was lost or refused; the server shuts down or restarts,
 * became a standby, broke a deadlock or a serialization conflict (frequent in distributed engines), or has no slot
 * free.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof PlantRefused) return false;
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  if (!(cause instanceof pg.DatabaseError)) return cause instanceof Error;
  const code = codeOf(cause);
  return isLost(code) || code.startsWith('40') || code === '53300';
}

/** An SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html), or a system's code: ECONNREFUSED. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const READ_ONLY = '25006';

/** Credentials, a database, a privilege, a host name. A host that is known but unreachable may be starting up. */
const misconfigurations: ReadonlySet<string> = new Set(['28', '3D', '42501', 'ENOTFOUND']);

/** By SQLSTATE, by its class (the first two characters), or by a system's code. */
const hints: Readonly<Record<string, string>> = {
  ...systemHints,
  ENOENT: systemHints.ECONNREFUSED,
  [READ_ONLY]: 'it is a standby or was made read-only: connect to the primary',
  '28': 'check user, password and pg_hba.conf',
  '3D': 'create the database, or name another',
  '42501':
    'grant the user SELECT, INSERT and UPDATE on the table <table>, SELECT on plant_store_migration, and CREATE on their schema to migrate',
  '42P01': NOT_MIGRATED,
  '42703': 'the database is not migrated: run the migrations',
  '53100': 'free space on its disk',
  '53300': 'raise max_connections, or lower the pool size of its clients',
};
