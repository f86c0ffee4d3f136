import { type ErrorRow, NOT_MIGRATED, type StoreErrors, storeErrors } from '@plant-store/store-kit';
import pg from 'pg';

/** What failures of PostgreSQL mean. */
export const postgresErrors: StoreErrors = storeErrors('PostgreSQL', classify, (error) =>
  // The failing row, and the statement's parameters (`log_parameter_max_length_on_error`).
  isReported(error) ? Object.assign(error, { detail: undefined, where: undefined }) : error,
);

const isReported = (error: unknown): error is pg.DatabaseError => error instanceof pg.DatabaseError;

/** Whether the statement waited too long for a lock (`lock_timeout`). */
export function isLockTimeout(error: unknown): boolean {
  return isReported(error) && error.code === '55P03' && error.routine !== 'exec_stmt_raise';
}

/** Whether the server, the database or the role allows no more connections. */
export function isFull(error: unknown): boolean {
  return isReported(error) && error.code === '53300';
}

/** Whether a privilege is missing, or the language of a DO block was revoked or dropped. */
export function isDenied(error: unknown): boolean {
  return isReported(error) && ['42501', '42704'].includes(error.code ?? '');
}

function classify(error: unknown): ErrorRow | undefined {
  if (error instanceof Error && /^SASL: .* client password must be/.test(error.message))
    return ['misconfigured', 'give a password in the URL'];
  if (!isReported(error)) return undefined;
  const { code = '', routine = '' } = error;
  // RAISE takes any SQLSTATE, and these say nothing of the server then: insufficient_privilege, feature_not_supported and so on.
  if (routine === 'exec_stmt_raise' && /^(0A|42|55)/.test(code)) return ['refused'];
  // Of all missing privileges, a row-level security policy is the only one that is about a row.
  if (routine === 'ExecWithCheckOptions') return ['refused'];
  // The prepared statement no longer fits the table: a new connection prepares it again.
  if (routine === 'RevalidateCachedQuery') return ['lost'];
  const row = rows[code] ?? rows[code.slice(0, 4)] ?? rows[code.slice(0, 2)];
  if (row) return row;
  // The server has no transaction ids left, which is of class 54.
  const isOfServer = NOT_OF_PLANTS.test(code) || /^GetNew(TransactionId|MultiXactId)$/.test(routine);
  return [isOfServer ? 'unavailable' : 'refused'];
}

const poolerLosesStatements: ErrorRow = [
  'misconfigured',
  'the pooler does not track prepared statements: add prepare=false to the URL, or upgrade to PgBouncer 1.21',
];

/** By SQLSTATE (PostgreSQL documentation, appendix A), or by its beginning. */
const rows: Readonly<Record<string, ErrorRow>> = {
  '08': ['lost'],
  '57P0': ['lost'],
  25006: ['lost', 'it is a standby or was made read-only: connect to the primary'],
  // A transaction that has failed before: somebody has not ended it.
  25: ['lost'],
  26000: poolerLosesStatements,
  '42P05': poolerLosesStatements,
  28: ['misconfigured', 'check user, password and pg_hba.conf'],
  '3D': ['misconfigured', 'create the database, or name another'],
  42501: [
    'misconfigured',
    'grant the user SELECT, INSERT and UPDATE on the table plants, SELECT on plant_store_migration, and CREATE on their schema to migrate',
  ],
  40: ['transient'],
  53300: ['transient', "raise max_connections or the role's CONNECTION LIMIT, or lower the pool size of its clients"],
  '42P01': ['unavailable', NOT_MIGRATED],
  42703: ['unavailable', 'the database is not migrated: run the migrations'],
  53100: ['unavailable', 'free space on its disk'],
};

/** Classes that are about the connection, the transaction, the statement or the server, and not about a row. */
const NOT_OF_PLANTS = /^(08|0A|0B|0L|0P|24|25|26|28|2D|34|3B|3D|3F|40|42|53|55|57|58|F0|HV|XX)/;
