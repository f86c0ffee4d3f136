import { NOT_MIGRATED, serverErrors } from '@plant-store/sql-store';

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

/** `ER_NET_PACKET_TOO_LARGE`. The server would close the connection as well, so no such packet is sent. */
export const TOO_LARGE = 1153;

/** What failures of the server mean. Rows are by the server's number, or by the class of its SQLSTATE. */
export const mysqlErrors = serverErrors({
  server: 'MySQL',
  isReported: (error) => error instanceof MysqlError && error.errno !== undefined,
  codesOf: (error) =>
    error instanceof MysqlError ? [error.errno ?? error.code, error.sqlState.slice(0, 2)] : [undefined],
  rows: [
    { codes: [1044, 1049], means: 'misconfigured', hint: 'create the database, or name another' },
    { codes: [1045, 1698], means: 'misconfigured', hint: 'check user and password' },
    { codes: [1820, 1862], means: 'misconfigured', hint: 'the password has expired: change it' },
    { codes: [1130], means: 'misconfigured', hint: 'create the user for the host that it connects from' },
    {
      codes: [1142, 1143],
      means: 'misconfigured',
      hint: 'grant the user SELECT and INSERT on the table <table>, those and UPDATE on plant_store_sync, SELECT on plant_store_migration, and CREATE to migrate',
    },
    { codes: [3159], means: 'misconfigured', hint: 'encrypt the connection with ssl-mode' },
    // Of users and privileges, too.
    { codes: [3118, 4151], means: 'misconfigured' },
    { codes: [1290, 1836], means: 'lost', hint: 'connect to the server that writes' },
    { codes: [1047], means: 'lost', hint: 'this node of the cluster is not in its primary component' },
    // Shutting down, read-only, killed, an idle connection closed; connections of any kind.
    { codes: [1053, 1792, 1927, 4031, '08'], means: 'lost' },
    { codes: [1040], means: 'transient', hint: 'raise max_connections, or lower the pool size of its clients' },
    // A statement that was killed; a deadlock, which is also how Galera reports a conflict of two nodes.
    { codes: [1317, '40'], means: 'transient' },
    // A value that does not fit (22), a constraint (23, and those of class HY), a trigger's SIGNAL (45), a text that a
    // column's character set lacks, an id without a partition, a statement larger than a packet may be.
    { codes: ['22', '23', '45', 1118, 1300, 1364, 1366, 1526, 1977, 3819, 3854, 4025, TOO_LARGE], means: 'refused' },
    { codes: [1021, 1114], hint: 'free space on its disk' },
    { codes: [1054, 1146], hint: NOT_MIGRATED },
    { codes: [1665], hint: 'set binlog_format to ROW or MIXED' },
  ],
});

export const { isConnectionError, isTransient, refusesPlant, storeUnavailable } = mysqlErrors;

/**
 * What to throw for an error of an add or a check: what the database reports is {@link StoreUnavailable}, or
 * {@link PlantRefused} if it refuses the plant itself. Other errors come back as they are.
 */
export function translateError(error: unknown, table?: string): unknown {
  if (error instanceof MysqlError && refusesPlant(error)) return mysqlErrors.plantRefused(error);
  return error instanceof MysqlError || error instanceof AggregateError ? storeUnavailable(error, table) : error;
}

/** Whether the id is taken. A duplicate in another unique index refuses the plant. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MysqlError && error.errno === 1062;
}

/** Whether a lock stopped the statement: it waited too long (1205), or was not to wait (3572, NOWAIT). */
export function isLocked(error: unknown): boolean {
  return error instanceof MysqlError && (error.errno === 1205 || error.errno === 3572);
}
