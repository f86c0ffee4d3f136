import { NOT_MIGRATED, serverErrors } from '@plant-store/sql-store';
import pg from 'pg';

const isReported = (error: unknown): error is pg.DatabaseError => error instanceof pg.DatabaseError;

const NO_PASSWORD = 'no password';

/**
 * Classes of SQLSTATEs that are about the connection, the transaction, the statement or the server, and not about a row
 * (PostgreSQL documentation, appendix A).
 */
const NOT_OF_PLANTS: readonly string[] = '08 0A 0B 0L 0P 24 25 26 28 2D 34 3B 3D 3F 40 42 53 55 57 58 F0 HV XX'.split(
  ' ',
);

/** An SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html), or a system's code: ECONNREFUSED. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** What failures of PostgreSQL mean. Rows are by SQLSTATE, by its beginning, or by {@link NO_PASSWORD}. */
export const postgresErrors = serverErrors({
  server: 'PostgreSQL',
  isReported,
  codesOf(error) {
    const code = codeOf(error);
    return lacksPassword(error) ? ['', NO_PASSWORD] : [code, code.slice(0, 4), code.slice(0, 2)];
  },
  refusesPlant,
  rows: [
    { codes: [NO_PASSWORD], means: 'misconfigured', hint: 'give a password in the URL' },
    { codes: ['28'], means: 'misconfigured', hint: 'check user, password and pg_hba.conf' },
    { codes: ['3D'], means: 'misconfigured', hint: 'create the database, or name another' },
    {
      codes: ['42501'],
      means: 'misconfigured',
      hint: 'grant the user SELECT, INSERT and UPDATE on the table <table>, SELECT on plant_store_migration, and CREATE on their schema to migrate',
    },
    { codes: ['08', '57P0'], means: 'lost' },
    { codes: ['25006'], means: 'lost', hint: 'it is a standby or was made read-only: connect to the primary' },
    { codes: ['40'], means: 'transient' },
    { codes: ['53300'], means: 'transient', hint: 'raise max_connections, or lower the pool size of its clients' },
    { codes: ['42P01'], hint: NOT_MIGRATED },
    { codes: ['42703'], hint: 'the database is not migrated: run the migrations' },
    { codes: ['53100'], hint: 'free space on its disk' },
  ],
});

export const { isConnectionError, isTransient, plantRefused, storeUnavailable } = postgresErrors;

/** Whether the server asks for a password and pg has none; pg's error has no code. */
function lacksPassword(error: unknown): boolean {
  return error instanceof Error && /^SASL: .* client password must be/.test(error.message);
}

/** Whether the statement waited too long for a lock (`lock_timeout`). */
export function isLockTimeout(error: unknown): boolean {
  return isReported(error) && error.code === '55P03';
}

/**
 * What to throw for an error of an add or a check: what PostgreSQL reports is {@link StoreUnavailable}, or
 * {@link PlantRefused} if it refuses the plant itself. Other errors come back as they are. None shows a plant.
 */
export function translateError(error: unknown, table?: string): unknown {
  if (!isReported(error)) return error;
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
  if (!isReported(error)) return false;
  const [code, { routine = '' }] = [codeOf(error), error];
  // RAISE takes any SQLSTATE, and these say nothing of the server then: insufficient_privilege, feature_not_supported and so on.
  if (routine === 'exec_stmt_raise' && ['0A', '42', '55'].includes(code.slice(0, 2))) return true;
  // Of all missing privileges, a row-level security policy is the only one that is about a row.
  if (code === '42501') return routine === 'ExecWithCheckOptions';
  // The server has no transaction ids left, which is of class 54.
  if (['GetNewTransactionId', 'GetNewMultiXactId'].includes(routine)) return false;
  return code.length === 5 && !NOT_OF_PLANTS.includes(code.slice(0, 2));
}
