import { type ErrorRow, NOT_MIGRATED, type StoreErrors, storeErrors } from '@plant-store/store-kit';

/** Translates the errors of MariaDB, MySQL and mysql2. mysql2's errors hold the statement, and so its plants. */
export const mysqlErrors: StoreErrors = storeErrors('MySQL', classify, (error) => {
  // mysql2 adds advice for programmers.
  if (!isServerError(error))
    return Object.assign(error, { message: error.message.replace(/\.? (See TODO|, which sends|To enable).*/, '') });
  const message = error.errno in byNumber ? error.message : 'the statement or one of its values is rejected';
  return Object.assign(serverError(error.errno, error.sqlState, message), { code: error.errno });
});

/** An error of the server, by its number (https://mariadb.com/kb/en/mariadb-error-codes/). */
type ServerError = Error & { readonly errno: number; readonly sqlState: string };

/** Makes a server's error as mysql2 does. */
export function serverError(errno: number, sqlState: string, message: string): ServerError {
  return Object.assign(new Error(message), { errno, sqlState });
}

/** The numbers of system errors are negative. */
function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && 'errno' in error && Number(error.errno) > 0;
}

const hasNumber = (error: unknown, ...numbers: number[]) => isServerError(error) && numbers.includes(error.errno);

/** Whether a row is locked or its id is taken. */
export const isConflict = (error: unknown): boolean => hasNumber(error, 1205) || isTaken(error);

/**
 * Whether the id is taken. A duplicate in any other unique index rejects the plant. The message is in English in our sessions, and
 * ends with the name of the index. The text before it may come from a plant.
 */
function isTaken(error: unknown): boolean {
  return hasNumber(error, 1062) && /'(plants\.)?PRIMARY'$/.test((error as Error).message);
}

/** Whether the server or the account allows no more connections. */
export const isTooManyConnections = (error: unknown): boolean => hasNumber(error, 1040, 1203, 1226);

/** Makes the error that the server would report. The server would also close the connection. */
export function packetTooLarge(bytes: number): Error {
  return serverError(
    1153,
    '08S01',
    `the statement is larger than ${bytes} bytes: raise max_allowed_packet on the server`,
  );
}

function classify(error: unknown): ErrorRow | undefined {
  if (!isServerError(error)) return error instanceof Error ? classifyMysql2Error(error) : undefined;
  const { errno, sqlState, message } = error;
  if (isTaken(error)) return ['unavailable'];
  if (errno === 1146 && /\.plant(s|_store_[a-z]+)'/.test(message)) return ['unavailable', NOT_MIGRATED];
  // A lock timeout has rolled back the transaction with its savepoints (innodb_rollback_on_timeout).
  if (errno === 1305 && message.startsWith('SAVEPOINT')) return ['transient'];
  return byNumber[errno] ?? withPlants[errno] ?? withPlants[sqlState.slice(0, 2)] ?? unknown;
}

/** Classifies the errors of mysql2 while it connects. Its code for TLS hides Node's code. */
function classifyMysql2Error({ message, code = '' }: Error & { readonly code?: string }): ErrorRow | undefined {
  return code === 'HANDSHAKE_SSL_ERROR' && !/certificate|SSL routines/.test(message) ? ['lost'] : byCode[code];
}

const plugin: ErrorRow = ['misconfigured', 'ALTER USER to mysql_native_password, or on MySQL to caching_sha2_password'];

const byCode: Readonly<Record<string, ErrorRow>> = {
  HANDSHAKE_NO_SSL_SUPPORT: ['misconfigured', 'turn TLS on there, or write ssl-mode=DISABLED'],
  HANDSHAKE_SSL_ERROR: ['misconfigured', 'compare ssl-ca, the name of the host and the clocks with the certificate'],
  AUTH_SWITCH_PLUGIN_ERROR: plugin,
  MYSQL_CLEAR_PASSWORD_NOT_ENABLED: plugin,
};

const unknown: ErrorRow = ['unavailable', 'unknown error: see https://mariadb.com/kb/en/mariadb-error-codes/'];

const rows = (codes: readonly (number | string)[], ...row: ErrorRow) =>
  Object.fromEntries(codes.map((code) => [code, row]));

/** The errors whose messages quote no part of a statement, and so no plant. */
const byNumber: Readonly<Record<number, ErrorRow>> = {
  // The server is shutting down or offline, or the connection was killed, idle for too long or broken.
  ...rows([1043, 1053, 1152, 1156, 1157, 1158, 1159, 1160, 1161, 1927, 3032, 3169, 4031], 'lost'),
  ...rows([1036, 1290, 1792, 1836, 1874, 1881], 'lost', 'it is read-only: connect to the server that writes'),
  ...rows([1047], 'lost', 'this node of the cluster is not in its primary component'),
  ...rows([1040, 1203, 1226], 'transient', 'raise max_connections or MAX_USER_CONNECTIONS, or lower the pool size'),
  // A deadlock, which is also Galera's error for a conflict of two nodes; a statement that was killed.
  ...rows([1213, 1317], 'transient'),
  ...rows([1021, 1026, 1030, 1114, 1180, 1878], 'unavailable', "free space on its disk, or see the server's log"),
  ...rows([1037, 1038, 1041, 1135, 1206, 3015], 'unavailable', 'give the server more memory'),
  ...rows([1205], 'unavailable', 'another session has locked the table: end that session (see SHOW PROCESSLIST)'),
  ...rows([1969, 3024], 'unavailable', 'the server or the user has max_statement_time or max_execution_time'),
  // Errors that the operator has to fix.
  ...rows([1044, 1049], 'misconfigured', 'create the database, grant the user privileges on it, or name another'),
  ...rows([1045, 1698, 3159], 'misconfigured', 'check user and password, and set ssl-mode if they require TLS'),
  ...rows([1820, 1862], 'misconfigured', 'the password has expired: change it'),
  ...rows([3118, 3955, 4151], 'misconfigured', 'unlock the account'),
  ...rows([1129, 1130], 'misconfigured', 'create the user for the host that it connects from, or run FLUSH HOSTS'),
  ...rows([1251, 1524], ...plugin),
  ...rows(
    [1142, 1143],
    'misconfigured',
    'grant the user SELECT and INSERT on the table plants, those and UPDATE on plant_store_sync, SELECT on plant_store_migration, and CREATE to migrate',
  ),
  ...rows([1193, 1231], 'misconfigured', 'plant-store needs MariaDB 10.11, MySQL 8.0, or a newer one'),
  ...rows([1665], 'misconfigured', 'set binlog_format to ROW or MIXED'),
  ...rows([1033, 1194, 1712, 1812, 1814, 1877, 1932], 'misconfigured', 'its data are damaged: restore a backup'),
  // A column or a view has changed, or a trigger or its definer lacks something.
  ...rows(
    [1054, 1146, 1227, 1305, 1356, 1364, 1370, 1423, 1442, 1449, 1471, 1906, 3105],
    'misconfigured?',
    'the table plants differs from the one that the migrations create, or one of its triggers is wrong',
  ),
  // The plant violates a constraint or is too large, or any plant is if the table has the wrong shape.
  ...rows([1153, 1452, 3819, 4025], 'refused'),
  ...rows([1048, 1118, 1264, 1406], 'refused?'),
};

/** The errors whose messages may quote a plant, by number or by the class of their SQLSTATE. */
const withPlants: Readonly<Record<string, ErrorRow>> = {
  ...rows(['08'], 'lost'),
  ...rows(['40'], 'transient'),
  ...rows([1064, 1149], 'defect'),
  // The value does not fit the column or its character set.
  ...rows(['22', 1265, 1292, 1300, 1366, 1411, 1977, 3854, 3988], 'refused?'),
  // A constraint, a trigger's SIGNAL or failure, or an id without a partition.
  ...rows(['02', '21', '23', '45', 1172, 1526], 'refused'),
};
