import { type ErrorRow, NOT_MIGRATED, type StoreErrors, storeErrors } from '@plant-store/store-kit';

/** What failures of MariaDB and MySQL mean. mysql2's own errors hold the text of the statement, and with it plants. */
export const mysqlErrors: StoreErrors = storeErrors('MySQL', classify, (error) => {
  if (!isReported(error)) return error;
  const message = error.errno in byNumber ? error.message : 'the statement or one of its values is refused';
  return Object.assign(reported(error.errno, error.sqlState, message), { code: error.errno });
});

/** An error that the server has reported, by its number (https://mariadb.com/kb/en/mariadb-error-codes/). */
type Reported = Error & { readonly errno: number; readonly sqlState: string };

/** As mysql2 makes it. */
export function reported(errno: number, sqlState: string, message: string): Reported {
  return Object.assign(new Error(message), { errno, sqlState });
}

/** Of a system's errors the numbers are negative. */
function isReported(error: unknown): error is Reported {
  return error instanceof Error && 'errno' in error && Number(error.errno) > 0;
}

const has = (error: unknown, ...numbers: number[]) => isReported(error) && numbers.includes(error.errno);

/** Whether a row is locked, or its id taken. */
export const isConflict = (error: unknown): boolean => has(error, 1205) || isTaken(error);

/**
 * Whether the id is taken: any other unique index refuses the plant. The name of the index ends the message, which the session
 * has in English; before it is what the index has, be it a text of a plant.
 */
function isTaken(error: unknown): boolean {
  return has(error, 1062) && /'(plants\.)?PRIMARY'$/.test((error as Error).message);
}

/** Whether the server or the account allows no more connections. */
export const isFull = (error: unknown): boolean => has(error, 1040, 1203, 1226);

/** Whether the server has no blocks outside of procedures: a syntax error. */
export const hasNoBlocks = (error: unknown): boolean => has(error, 1064);

/** As the server reports it, but that closes the connection as well. */
export function tooLarge(bytes: number): Error {
  return reported(1153, '08S01', `the statement is larger than ${bytes} bytes: raise max_allowed_packet on the server`);
}

function classify(error: unknown): ErrorRow | undefined {
  if (!isReported(error)) return undefined;
  if (isTaken(error)) return ['unavailable'];
  return byNumber[error.errno] ?? others[error.errno] ?? others[error.sqlState.slice(0, 2)] ?? ['unavailable'];
}

const all = (codes: readonly (number | string)[], ...row: ErrorRow) =>
  Object.fromEntries(codes.map((code) => [code, row]));

/**
 * Errors whose messages name tables, columns, constraints, settings, files, hosts, users and databases alone. Any other may
 * repeat a part of the statement, which holds texts of plants; a trigger's says what it likes.
 */
const byNumber: Readonly<Record<number, ErrorRow>> = {
  ...all([1044, 1049], 'misconfigured', 'create the database, or name another'),
  ...all([1045, 1698], 'misconfigured', 'check user and password'),
  ...all([1820, 1862], 'misconfigured', 'the password has expired: change it'),
  ...all([1130], 'misconfigured', 'create the user for the host that it connects from'),
  ...all(
    [1142, 1143],
    'misconfigured',
    'grant the user SELECT and INSERT on the table plants, those and UPDATE on plant_store_sync, SELECT on plant_store_migration, and CREATE to migrate',
  ),
  ...all([3159], 'misconfigured', 'encrypt the connection with ssl-mode'),
  ...all([3118, 4151], 'misconfigured'),
  ...all([1290, 1836], 'lost', 'connect to the server that writes'),
  ...all([1047], 'lost', 'this node of the cluster is not in its primary component'),
  // Shutting down, read-only, killed, an idle connection closed; packets that were not read or written.
  ...all([1043, 1053, 1152, 1156, 1157, 1158, 1159, 1160, 1161, 1792, 1927, 4031], 'lost'),
  ...all(
    [1040, 1203, 1226],
    'transient',
    "raise max_connections or the account's MAX_USER_CONNECTIONS, or lower the pool size of its clients",
  ),
  // A deadlock, which is also how Galera reports a conflict of two nodes; a savepoint that went with a transaction
  // (innodb_rollback_on_timeout); a statement that was killed.
  ...all([1213, 1305, 1317], 'transient'),
  // Null, no default, too long, constraints, larger than a row or a statement may be.
  ...all([1048, 1118, 1153, 1364, 1406, 1451, 1452, 3819, 4025], 'refused'),
  ...all([1021, 1114], 'unavailable', 'free space on its disk'),
  ...all([1054, 1146], 'unavailable', NOT_MIGRATED),
  ...all([1665], 'unavailable', 'set binlog_format to ROW or MIXED'),
  // Privileges and users, disks, memory, files, locks, time-outs, the schema.
  ...all(
    [1227, 1251, 1129, 1026, 1030, 1036, 1037, 1038, 1041, 1135, 1205, 1206, 1461, 1969, 3024, 1050],
    'unavailable',
  ),
};

/**
 * By number, or by the class of their SQLSTATE: connections, rolled back; values that do not fit, constraints, a trigger's SIGNAL,
 * a text that a column's character set lacks, an id without a partition.
 */
const others: Readonly<Record<string, ErrorRow>> = {
  ...all(['08'], 'lost'),
  ...all(['40'], 'transient'),
  ...all(['22', '23', '45', 1300, 1366, 1526, 1977, 3854], 'refused'),
};
