import { PlantRefused, StoreUnavailable } from '@plant-store/domain';
import { NOT_MIGRATED, serverErrors, systemHints } from '@plant-store/sql-store';

/**
 * What the server or the connection reports, without what mysql2's own errors hold: the text of the statement, and with
 * it plants.
 */
export class MysqlError extends Error {
  override readonly name = 'MysqlError';
  /** The server's number (https://mariadb.com/kb/en/mariadb-error-codes/), undefined if it did not report this. */
  readonly errno: number | undefined;
  readonly sqlState: string;
  /** A system's or mysql2's code, such as ECONNREFUSED, where the server did not report this. */
  readonly code: string | undefined;

  constructor(message: string, reported: { errno?: number | undefined; sqlState?: string; code?: string | undefined }) {
    super(message);
    this.errno = reported.errno;
    this.sqlState = reported.sqlState ?? '';
    this.code = reported.code;
  }
}

/** What mysql2 throws, as a {@link MysqlError}. */
export function mysqlError(error: unknown): Error {
  if (error instanceof MysqlError) return error;
  if (error instanceof AggregateError) return new AggregateError(error.errors.map(mysqlError), error.message);
  if (!(error instanceof Error)) return new Error(String(error));
  const { errno = 0, sqlState = '', code } = error as Error & { errno?: number; sqlState?: string; code?: string };
  // Of a system's errors the numbers are negative.
  if (errno <= 0) return new MysqlError(error.message, { code });
  const message = quotesNothing.has(errno) ? error.message : 'the statement or one of its values is refused';
  return new MysqlError(message, { errno, sqlState });
}

/**
 * Errors whose messages name tables, columns, constraints, settings, files, hosts, users and databases alone. Any other
 * may repeat a part of the statement, which holds texts of plants; a trigger's says what it likes.
 */
const quotesNothing: ReadonlySet<number> = new Set([
  // Connections, users and privileges; a server that shuts down, is full or has lost its cluster.
  ...[1040, 1043, 1044, 1045, 1047, 1049, 1053, 1129, 1130, 1142, 1143, 1152, 1153, 1156, 1157, 1158, 1159, 1160, 1161],
  ...[1203, 1226, 1227, 1251, 1698, 1820, 1862, 1927, 3118, 3159, 4031, 4151],
  // Disks, memory and files.
  ...[1021, 1026, 1030, 1036, 1037, 1038, 1041, 1114, 1135, 1206],
  // Settings, locks and time-outs.
  ...[1205, 1213, 1290, 1317, 1461, 1665, 1792, 1836, 1969, 3024, 3572],
  // The schema.
  ...[1048, 1050, 1054, 1110, 1118, 1146, 1305, 1364, 1406, 1451, 1452, 3819, 4025],
]);

/** What failures of the server mean. */
export const mysqlErrors = serverErrors({
  server: 'MySQL',
  codeOf: (error) => (error instanceof MysqlError ? (error.errno ?? error.code) : undefined),
  hintFor,
  isMisconfigured: (error) =>
    error instanceof MysqlError && (error.code === 'ENOTFOUND' || misconfigurations.has(error.errno ?? 0)),
});

/** A failure of the database, as {@link StoreUnavailable} with what the operator can do about it and its cause. */
export const { storeUnavailable } = mysqlErrors;

/**
 * What to throw for an error of an add or a check: what the database reports is {@link StoreUnavailable}, or
 * {@link PlantRefused} if it refuses the plant itself. Other errors come back as they are.
 */
export function translateError(error: unknown, table?: string): unknown {
  if (error instanceof MysqlError && refusesPlant(error))
    return new PlantRefused(`MySQL: ${error.message} (${error.errno})`, { cause: error });
  return error instanceof MysqlError || error instanceof AggregateError ? storeUnavailable(error, table) : error;
}

/**
 * Whether the failure leaves its connection unusable: everything that the server did not report itself, such as a lost
 * connection or a statement that never ended, and what it reports when it shuts down, is read-only, or is a node of a
 * cluster that has lost the others.
 */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof MysqlError) || error.errno === undefined) return true;
  return error.sqlState.startsWith('08') || unusableAfter.has(error.errno);
}

/** Whether the id is taken. A duplicate in another unique index refuses the plant. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MysqlError && error.errno === 1062;
}

/** Whether a lock stopped the statement: it waited too long (1205), or was not to wait (3572, NOWAIT). */
export function isLocked(error: unknown): boolean {
  return error instanceof MysqlError && (error.errno === 1205 || error.errno === 3572);
}

/**
 * Whether the server refuses the plant itself, so that sending it again will not help: a value that does not fit (class
 * 22), a constraint (23, and those of class HY), a trigger's SIGNAL (45), a text that a column's character set lacks, an id
 * without a partition, a statement larger than a packet may be.
 */
export function refusesPlant(error: unknown): boolean {
  if (!(error instanceof MysqlError) || error.errno === undefined) return false;
  return /^(22|23|45)/.test(error.sqlState) || refusals.has(error.errno);
}

/**
 * Whether the failure is worth a retry at once: the connection was lost or refused; the server shuts down, is no longer
 * the one that writes, broke a deadlock (which is also how Galera reports a conflict of two nodes), or has no slot free.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof PlantRefused) return false;
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  if (cause instanceof AggregateError) return cause.errors.some(isTransient);
  if (!(cause instanceof MysqlError)) return cause instanceof Error;
  if (refusesPlant(cause)) return false;
  return isConnectionError(cause) || cause.sqlState.startsWith('40') || cause.errno === 1040 || cause.errno === 1317;
}

/** Of other classes. */
const refusals: ReadonlySet<number> = new Set([1118, 1153, 1300, 1364, 1366, 1526, 1977, 3819, 3854, 4025]);

/** `ER_NET_PACKET_TOO_LARGE`. The server would close the connection as well, so no such packet is sent. */
export const TOO_LARGE = 1153;

/** Users, their passwords, hosts and privileges, databases, and a server that accepts encrypted connections only. */
const misconfigurations: ReadonlySet<number> = new Set([
  1044, 1045, 1049, 1130, 1142, 1143, 1698, 1820, 1862, 3118, 3159, 4151,
]);

/** Read-only, shutting down, killed, a statement of a node outside the primary component, an idle connection closed. */
const unusableAfter: ReadonlySet<number> = new Set([1047, 1053, 1290, 1792, 1836, 1927, 4031]);

function hintFor(error: unknown): string | undefined {
  if (error instanceof AggregateError) return error.errors.map(hintFor).find((hint) => hint !== undefined);
  return error instanceof MysqlError ? hints[error.errno ?? error.code ?? ''] : undefined;
}

const credentials = 'check user and password';
const password = 'the password has expired: change it';
const database = 'create the database, or name another';
const privileges =
  'grant the user SELECT and INSERT on the table <table>, those and UPDATE on plant_store_sync, SELECT on plant_store_migration, and CREATE to migrate';
const readOnly = 'connect to the server that writes';
const disk = 'free space on its disk';

/** By the server's number, or by a system's code. */
const hints: Readonly<Record<string, string>> = {
  ...systemHints,
  1021: disk,
  1040: 'raise max_connections, or lower the pool size of its clients',
  1044: database,
  1045: credentials,
  1047: 'this node of the cluster is not in its primary component',
  1049: database,
  1054: NOT_MIGRATED,
  1114: disk,
  1130: 'create the user for the host that it connects from',
  1142: privileges,
  1143: privileges,
  1146: NOT_MIGRATED,
  1290: readOnly,
  1665: 'set binlog_format to ROW or MIXED',
  1698: credentials,
  1820: password,
  1836: readOnly,
  1862: password,
  3159: 'encrypt the connection with ssl-mode',
};
