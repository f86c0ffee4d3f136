import { type ErrorRow, plantColumns, type StoreErrors, storeErrors } from '@plant-store/store-kit';
import pg from 'pg';

/** Translates the errors of PostgreSQL and of pg. */
export const postgresErrors: StoreErrors = storeErrors('PostgreSQL', classify, (error) =>
  // They may hold the failing row and the statement's parameters (`log_parameter_max_length_on_error`).
  isDatabaseError(error) ? Object.assign(error, { detail: undefined, where: undefined }) : error,
);

const isDatabaseError = (error: unknown): error is pg.DatabaseError => error instanceof pg.DatabaseError;

/** Whether the statement waited too long for a lock (`lock_timeout`). */
export function isLockTimeout(error: unknown): boolean {
  return isDatabaseError(error) && error.code === '55P03' && error.routine !== 'exec_stmt_raise';
}

/** Returns the qualified and quoted name of the unique index that rejected a row; undefined for any other error. */
export function violatedIndex(error: unknown): string | undefined {
  if (!isDatabaseError(error) || error.code !== '23505' || error.routine === 'exec_stmt_raise') return undefined;
  return [error.schema, error.constraint].map((name = '') => pg.escapeIdentifier(name)).join('.');
}

/** Whether the server, the database or the role allows no more connections. */
export function isTooManyConnections(error: unknown): boolean {
  return isDatabaseError(error) && error.code === '53300';
}

/** Whether a privilege is missing, or the language of a DO block was revoked or dropped. */
export function isPermissionDenied(error: unknown): boolean {
  return isDatabaseError(error) && ['42501', '42704'].includes(error.code ?? '');
}

function classify(error: unknown): ErrorRow | undefined {
  if (!isDatabaseError(error)) return error instanceof Error ? classifyPgError(error) : undefined;
  const { code = '', routine = '', message, severity, column } = error;
  // A trigger may RAISE any SQLSTATE, such as insufficient_privilege, which then says nothing about the server.
  if (routine === 'exec_stmt_raise' && !code.startsWith('40')) return ['refused'];
  // A policy of row security rejected the row. Any other missing privilege concerns the whole table.
  if (routine === 'ExecWithCheckOptions') return ['refused'];
  // The table has changed since the statement was prepared. A new connection prepares it again.
  if (routine === 'RevalidateCachedQuery') return ['lost?'];
  if (code === '08P01' && pgBouncerConfigError.test(message)) return rejectedByPooler;
  // A setting in the URL or of the role is invalid.
  if (severity === 'FATAL' && /^(22|42)(?!501)/.test(code))
    return ['misconfigured', 'check options in the URL, and the settings of the role'];
  // The table has a NOT NULL column that plants do not have.
  if (code === '23502' && column !== undefined && !plantColumns.includes(column)) return wrongTable;
  // The server has no transaction ids left. Other errors of class 54 concern a row.
  if (/^GetNew(TransactionId|MultiXactId)$/.test(routine)) return ['unavailable', 'vacuum its databases'];
  return rows[code] ?? rows[code.slice(0, 4)] ?? rows[code.slice(0, 2)] ?? unknown;
}

/** Classifies pg's own errors, which have no code. */
function classifyPgError({ message }: Error): ErrorRow | undefined {
  if (/^SASL: .* client password must be/.test(message)) return ['misconfigured', 'give a password in the URL'];
  if (/^(SASL: Only|Unknown authentication)/.test(message))
    return ['misconfigured', 'have pg_hba.conf ask for scram-sha-256, which pg knows'];
  if (message === 'The server does not support SSL connections')
    return ['misconfigured', 'turn ssl on there, or write sslmode=disable'];
  return undefined;
}

/** PgBouncer uses the same code for its transient errors. */
const pgBouncerConfigError =
  /^(no such (user|database)|bouncer config error|unsupported startup parameter|SASL authentication failed)/;
const rejectedByPooler: ErrorRow = [
  'misconfigured',
  'check user, password and database, and [databases], auth_file and ignore_startup_parameters of the pooler',
];

const poolerLosesStatements: ErrorRow = [
  'misconfigured',
  'the pooler does not track prepared statements: add prepare=false to the URL, or upgrade to PgBouncer 1.21',
];

const damaged: ErrorRow = ['misconfigured', 'its data are damaged: restore a backup, or REINDEX if it is an index'];

const wrongTable: ErrorRow = [
  'misconfigured?',
  'the table plants differs from the one that the migrations create, or one of its triggers is wrong',
];

const unknown: ErrorRow = [
  'unavailable?',
  'unknown error: see https://www.postgresql.org/docs/current/errcodes-appendix.html',
];

/** By SQLSTATE, its first four characters or its class (PostgreSQL documentation, appendix A). */
const rows: Readonly<Record<string, ErrorRow>> = {
  // Errors of the connection or the server.
  '08': ['lost'],
  '57P0': ['lost'],
  25006: ['lost', 'it is a standby or was made read-only: connect to the primary'],
  // The session is in a failed transaction.
  25: ['lost'],
  40: ['transient'],
  53300: ['transient', "raise max_connections or the role's CONNECTION LIMIT, or lower the pool size of its clients"],
  53100: ['unavailable', 'free space on its disk'],
  53200: ['unavailable', 'give the server more memory'],
  '55P03': ['unavailable', 'another session has locked the table: end its transaction (pg_stat_activity shows it)'],
  57014: ['unavailable', 'the user has a statement_timeout, or an administrator cancelled the statement'],
  58: ['unavailable', "the server's disk or system failed: see its log"],
  // Errors that the operator has to fix.
  26000: poolerLosesStatements,
  '42P05': poolerLosesStatements,
  28: ['misconfigured', 'check user, password and pg_hba.conf'],
  '3D': ['misconfigured', 'create the database, or name another'],
  '3F': ['misconfigured', 'create a schema in the search path of the user, and grant CREATE on it'],
  42501: [
    'misconfigured',
    'grant the user SELECT, INSERT and UPDATE on the table plants, SELECT on plant_store_migration, and CREATE on their schema to migrate',
  ],
  '42P01': ['misconfigured?', 'run the migrations, or fix the trigger that names it'],
  42: wrongTable,
  XX001: damaged,
  XX002: damaged,
  42601: ['defect'],
  // The plant, or any plant if the table has the wrong shape.
  22: ['refused?'],
  23: ['refused'],
  23502: ['refused?'],
  44: ['refused'],
  54: ['refused'],
  // A trigger that fails for the plant.
  ...Object.fromEntries(['09', '21', '27', '2F', '38', '39', 'P0'].map((code) => [code, ['refused'] as ErrorRow])),
};
