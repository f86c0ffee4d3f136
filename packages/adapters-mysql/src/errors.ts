import { describeCodes, type ErrorRow, type StoreErrors, storeErrors } from '@plant-store/store-kit';

/** Translates the errors of MariaDB, MySQL and mysql2. mysql2's errors hold the statement, and so its plants. */
export const mysqlErrors: StoreErrors = storeErrors('MySQL', findRow, (error) => {
  // mysql2 adds advice for programmers.
  if (!isServerError(error))
    return Object.assign(error, { message: error.message.replace(/\.? (See TODO|, which sends|To enable).*/, '') });
  const message = error.errno in byNumber ? error.message : 'the statement or one of its values is rejected';
  return Object.assign(new Error(message), { errno: error.errno, sqlState: error.sqlState, code: error.errno });
});

/** An error of the server, by its number (https://mariadb.com/kb/en/mariadb-error-codes/). */
type ServerError = Error & { readonly errno: number; readonly sqlState: string };

/** The numbers of system errors are negative. */
function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && 'errno' in error && Number(error.errno) > 0;
}

/**
 * Whether the id is taken. A duplicate in any other unique index rejects the plant. The message is in English in our sessions, and
 * ends with the name of the index. The text before it may come from a plant.
 */
export function isTaken(error: unknown): boolean {
  return isServerError(error) && error.errno === 1062 && /'(plants\.)?PRIMARY'$/.test(error.message);
}

function findRow(error: unknown): ErrorRow | undefined {
  if (!isServerError(error))
    return error instanceof Error ? byCode[(error as NodeJS.ErrnoException).code ?? ''] : undefined;
  // Another session has not yet committed it, or has deleted it meanwhile.
  if (isTaken(error)) return ['locked'];
  // A trigger may SIGNAL any number and SQLSTATE.
  return byNumber[error.errno] ?? quoting[error.errno] ?? quoting[error.sqlState.slice(0, 2)] ?? ['refused'];
}

/** By the code of mysql2, while it connects or waits. */
const byCode: Readonly<Record<string, ErrorRow>> = {
  HANDSHAKE_NO_SSL_SUPPORT: ['misconfigured', 'turn TLS on there, or write ssl-mode=DISABLED'],
  HANDSHAKE_SSL_ERROR: ['misconfigured', 'compare ssl-ca, the name of the host and the clocks with the certificate'],
  PROTOCOL_SEQUENCE_TIMEOUT: ['unavailable', 'it is frozen, or waits for a replica or a lock (see SHOW PROCESSLIST)'],
};

const TABLE = 'the table plants differs from the one that the migrations create, or one of its triggers is wrong';
const GRANTS =
  'grant the user SELECT and INSERT on the table plants, those and UPDATE on plant_store_sync, SELECT on plant_store_migration, and CREATE to migrate';

/** The errors whose messages quote no part of a statement, and so no plant. */
const byNumber: Readonly<Record<number, ErrorRow>> = {
  // The server is shutting down, or the connection was killed or idle for too long; a deadlock, or a statement that was killed.
  ...describeCodes([1043, 1053, 1152, 1158, 1159, 1160, 1161, 1927, 3169, 4031, 1213, 1317], 'transient'),
  ...describeCodes([1036, 1290, 1792, 1836, 1047], 'transient', 'it is read-only: connect to the server that writes'),
  ...describeCodes([1040, 1203, 1226], 'transient', 'raise max_connections, or lower the pool size'),
  ...describeCodes([1021, 1026, 1030, 1114, 1180], 'unavailable', "see the server's disk and log"),
  1205: ['locked', 'another session has locked the table plants or rows of it (see SHOW PROCESSLIST)'],
  // Errors that the operator has to fix.
  1146: ['missing'],
  ...describeCodes([1044, 1049], 'misconfigured', 'create the database, or grant the user privileges on it'),
  ...describeCodes([1142, 1143, 1227, 1370], 'misconfigured', GRANTS),
  ...describeCodes([1193, 1231], 'misconfigured', 'plant-store needs MariaDB 10.11, MySQL 8.0, or a newer one'),
  ...describeCodes([1054, 1305, 1356, 1364, 1442, 1449, 1471], 'misconfigured', TABLE),
  // The plant violates a constraint or is too large.
  ...describeCodes([1048, 1118, 1153, 1264, 1406, 1452, 3819, 4025], 'refused'),
};

/** The other errors, whose messages may quote a plant, by number or by the class of their SQLSTATE. */
const quoting: Readonly<Record<string, ErrorRow>> = {
  ...describeCodes(['08', '40'], 'transient'),
  // The server's other errors. Before a session begins they have no SQLSTATE.
  ...describeCodes(['', 'HY', '0A', 25, 70, 'XA'], 'unavailable', 'see https://mariadb.com/kb/en/mariadb-error-codes/'),
  ...describeCodes(['28'], 'misconfigured', 'check user, password, its host and plugin, and ssl-mode'),
  ...describeCodes(['42'], 'misconfigured', TABLE),
  // A value that does not fit its column, or a constraint.
  ...describeCodes([1300, 1366, 1526, 3988], 'refused'),
};
