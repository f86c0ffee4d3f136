import { describeCodes, type ErrorRow, type StoreErrors, storeErrors } from '@plant-store/store-kit';
import pg from 'pg';

/** Translates the errors of PostgreSQL and of pg. Their messages may quote a value of the plant, unless a constraint is violated. */
export const postgresErrors: StoreErrors = storeErrors('PostgreSQL', findRow, (error) => {
  if (!isDatabaseError(error)) return error;
  const { code = '', severity, where } = error;
  const quotesNothing = findRow(error)?.[0] !== 'refused' || code.startsWith('23') || code === DENIED;
  // The text of an error with a context may be a trigger's.
  const message =
    quotesNothing && where === undefined ? error.message : 'it rejects a value or a plant, or a row is locked';
  // A new one, because the other properties may hold the failing row, statements and their parameters.
  return Object.assign(new pg.DatabaseError(message, 0, 'error'), { code, severity });
});

/** Whether a statement took longer than its timeout. */
export const isTimeout = (error: Error): boolean => error.message === 'Query read timeout';

const isDatabaseError = (error: unknown): error is pg.DatabaseError => error instanceof pg.DatabaseError;

function findRow(error: unknown): ErrorRow | undefined {
  if (!isDatabaseError(error)) return error instanceof Error ? findRowForPg(error) : undefined;
  const { code = '', message, severity, where } = error;
  if (code === '08P01' && pgBouncerConfigError.test(message))
    return ['misconfigured', 'check the URL, and [databases], auth_file and ignore_startup_parameters of the pooler'];
  // A setting in the URL or of the role is invalid.
  if (severity === 'FATAL' && /^(22|42)(?!501)/.test(code))
    return ['misconfigured', 'check options in the URL, and the settings of the role'];
  const row = rows[code] ?? rows[code.slice(0, 4)] ?? rows[code.slice(0, 2)];
  // A trigger may raise any code.
  if (!row && where !== undefined) return ['refused'];
  return row ?? ['unavailable', 'see https://www.postgresql.org/docs/current/errcodes-appendix.html'];
}

/** The row of pg's own errors, which have no code. */
function findRowForPg(error: Error): ErrorRow | undefined {
  const { message } = error;
  if (/^(SASL: (Only|.* client password must be)|Unknown authentication|The server does not support SSL)/.test(message))
    return ['misconfigured', 'check the password and sslmode in the URL, and pg_hba.conf'];
  if (isTimeout(error))
    return ['unavailable', 'it is frozen, or commits wait for a standby or a lock (see pg_stat_activity)'];
  return undefined;
}

/** PgBouncer uses the same code for its transient errors. */
const pgBouncerConfigError =
  /^(no such (user|database)|bouncer config error|unsupported startup parameter|SASL authentication failed)/;
/** A privilege is missing, or a policy of row security rejects the plant. */
const DENIED = '42501';

/** By SQLSTATE, its first four characters or its class (PostgreSQL documentation, appendix A). */
const rows: Readonly<Record<string, ErrorRow>> = {
  // Errors of the connection or the server. In class 25 the session is in a failed transaction.
  ...describeCodes(['08', '57P0', 25, 40], 'transient'),
  25006: ['transient', 'it is a standby or was made read-only: connect to the primary'],
  ...describeCodes([53, 58], 'unavailable', "see the server's disk, memory and log"),
  53300: ['transient', "raise max_connections or the role's CONNECTION LIMIT, or lower the pool size of its clients"],
  '55P03': ['locked', 'another session has locked the table plants or rows of it: end it (see pg_stat_activity)'],
  57014: ['transient', 'the user has a statement_timeout, or an administrator cancelled the statement'],
  // Errors that the operator has to fix.
  ...describeCodes(
    [26000, '42P05'],
    'misconfigured',
    'the pooler does not track prepared statements: add prepare=false to the URL, or upgrade to PgBouncer 1.21',
  ),
  ...describeCodes(
    [28, '3D', '3F'],
    'misconfigured',
    'check user, password, database and search path, and pg_hba.conf',
  ),
  '42P01': ['missing'],
  // 0A000: a rule, or another type of a column since the statement was prepared.
  ...describeCodes(
    ['0A000', 42],
    'misconfigured',
    'the table plants differs from the one that the migrations create, or one of its triggers is wrong',
  ),
  ...describeCodes(['XX001', 'XX002'], 'misconfigured', 'its data are damaged: restore a backup, or REINDEX'),
  42601: ['defect'],
  // The plant violates a constraint, a policy or a limit, or a trigger fails for it. The watch notices if that is so for every plant.
  [DENIED]: [
    'refused',
    'grant the user SELECT and INSERT on the table plants, SELECT on plant_store_migration, EXECUTE on pg_logical_emit_message, and CREATE on their schema to migrate',
  ],
  ...describeCodes([22, 23, 44, 54, '09', 21, 27, '2F', 38, 39, 'P0'], 'refused'),
};
