import { inspect } from 'node:util';
import { openMysql } from '@plant-store/adapters-mysql';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { NOT_MIGRATED } from '@plant-store/sql-store';
import { expect, onTestFinished, test } from 'vitest';
import {
  isConnectionError,
  isDuplicate,
  isTransient,
  MysqlError,
  mysqlError,
  mysqlErrors,
  refusesPlant,
  storeUnavailable,
  translateError,
} from '../src/errors.ts';

/** As mysql2 makes them. */
const reported = (errno: number, sqlState: string, message: string) =>
  Object.assign(new Error(message), { errno, sqlState, sql: 'insert into plants … Fern', sqlMessage: message });

test.each([
  [1062, '23000', "Duplicate entry 'Fern' for key 'tag'"],
  [1064, '42000', "You have an error in your SQL syntax near 'Fern'"],
  [1292, '22007', "Truncated incorrect DOUBLE value: 'Fern'"],
  [1366, 'HY000', "Incorrect string value: 'Fern' for column 'name'"],
  [1526, 'HY000', "Table has no partition for value 'Fern'"],
  [1644, '45000', 'no Fern'],
  [1977, 'HY000', "Cannot convert 'utf8mb4' character 'Fern' to 'latin1'"],
  [3854, 'HY000', "Cannot convert string 'Fern' from utf8mb4 to latin1"],
  [9999, 'HY000', 'of a later version: Fern'],
])('error %d shows nothing of a statement, in no property and no cause', (errno, sqlState, message) => {
  const error = storeUnavailable(mysqlError(reported(errno, sqlState, message)));
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('Fern');
  expect(error.message).toBe(`MySQL: the statement or one of its values is refused (${errno})`);
});

test.each([
  ['an unknown database', 1049, '42000', true],
  ['a wrong password', 1045, '28000', true],
  ['no privilege', 1142, '42000', true],
  ['a host that may not connect', 1130, 'HY000', true],
  ['a server that wants TLS', 3159, 'HY000', true],
  ['an expired password', 1820, 'HY000', true],
  ['no connection free', 1040, '08004', false],
  ['a table that is not there', 1146, '42S02', false],
])('%s is a configuration error: %s %s %s', (_, errno, sqlState, expected) => {
  const cause = mysqlError(reported(errno, sqlState, 'it went wrong'));
  expect(storeUnavailable(cause) instanceof StoreMisconfigured).toBe(expected);
});

const hosts = 'check that it runs and that host and port are right';
const disk = 'free space on its disk';

// With the texts of MariaDB 10.11 and MySQL 8.0.
test.each([
  [1021, 'HY000', 'Disk full (/var/lib/mysql/#sql_1); waiting for someone to free some space...', disk],
  [1040, '08004', 'Too many connections', 'raise max_connections, or lower the pool size of its clients'],
  [1044, '42000', "Access denied for user 'me'@'%' to database 'd'", 'create the database, or name another'],
  [1045, '28000', "Access denied for user 'me'@'h' (using password: YES)", 'check user and password'],
  [1047, '08S01', 'WSREP has not yet prepared node', 'this node of the cluster is not in its primary component'],
  [1114, 'HY000', "The table 'plants' is full", disk],
  [1130, 'HY000', "Host 'h' is not allowed to connect", 'create the user for the host that it connects from'],
  [1146, '42S02', "Table 'd.plants' doesn't exist", NOT_MIGRATED],
  [1205, 'HY000', 'Lock wait timeout exceeded; try restarting transaction', undefined],
  [3572, 'HY000', 'Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set.', undefined],
  [1226, '42000', "User 'me' has exceeded the 'max_user_connections' resource", undefined],
  [1290, 'HY000', 'The server is running with the --read-only option', 'connect to the server that writes'],
  [1665, 'HY000', 'Cannot execute statement: impossible to write to binary log', 'set binlog_format to ROW or MIXED'],
  [1820, 'HY000', 'You must SET PASSWORD', 'the password has expired: change it'],
  [1836, 'HY000', 'Running in read-only mode', 'connect to the server that writes'],
  [1927, '70100', 'Connection was killed', undefined],
  [3159, 'HY000', 'Connections using insecure transport are prohibited', 'encrypt the connection with ssl-mode'],
])('error %d (%s) keeps its text, "%s", with a hint: %s', (errno, sqlState, message, hint) => {
  const error = storeUnavailable(mysqlError(reported(errno, sqlState, message)));
  expect(error.message).toBe(`MySQL: ${message} (${errno})${hint ? `; ${hint}` : ''}`);
});

test('of several hosts, the message has what each says once, and the first hint that there is', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED b:3306'), { code: 'ECONNREFUSED', errno: -111 });
  const error = mysqlError(new AggregateError([new StoreUnavailable('MySQL: read-only MySQL: a'), refused], 'none'));
  expect(error).toMatchObject({ message: 'none', errors: [expect.anything(), { name: 'MysqlError' }] });
  expect(storeUnavailable(error).message).toBe(`MySQL: read-only MySQL: a, connect ECONNREFUSED b:3306; ${hosts}`);
});

test('what the server has not reported is judged neither by number nor by state; what is no Error becomes one', () => {
  for (const is of [refusesPlant, isDuplicate, mysqlErrors.isMisconfiguration])
    expect(is(reported(1062, '23000', 'it'))).toBe(false);
  expect(isDuplicate(new MysqlError('it', { errno: 1062, sqlState: '23000' }))).toBe(true);
  const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND h'), { code: 'ENOTFOUND', errno: -3008 });
  expect(storeUnavailable(mysqlError(unknown)).message).toBe(
    "MySQL: getaddrinfo ENOTFOUND h (ENOTFOUND); check the host's name",
  );
  expect(mysqlError('no Error')).toEqual(new Error('no Error'));
  const bug = new TypeError('a bug');
  expect(translateError(bug)).toBe(bug);
  const lost = mysqlError(new Error('Connection lost'));
  expect(mysqlError(lost)).toBe(lost);
  expect(translateError(lost)).toBeInstanceOf(StoreUnavailable);
});

/** What follows from an error: its connection cannot be used again, it is worth a retry, or it is the plant's own fault. */
type Consequence = 'connection lost' | 'transient' | 'plant refused';

test.each<[what: string, errno: number, sqlState: string, ...Consequence[]]>([
  ['a deadlock, or a conflict of two nodes', 1213, '40001', 'transient'],
  ['a statement that was killed', 1317, '70100', 'transient'],
  ['a shutdown', 1053, '08S01', 'connection lost', 'transient'],
  ['a node that has lost the others', 1047, '08S01', 'connection lost', 'transient'],
  ['a read-only server', 1290, 'HY000', 'connection lost', 'transient'],
  ['no more connections', 1040, '08004', 'connection lost', 'transient'],
  ['a packet that was not read', 1158, '08S01', 'connection lost', 'transient'],
  ['a killed connection', 1927, '70100', 'connection lost', 'transient'],
  ['an idle connection that is closed', 4031, 'HY000', 'connection lost', 'transient'],
  ['a statement that is too large', 1153, '08S01', 'connection lost', 'plant refused'],
  ['a text that is too long', 1406, '22001', 'plant refused'],
  ['a missing value', 1048, '23000', 'plant refused'],
  ["a trigger's signal", 1644, '45000', 'plant refused'],
  ['a check constraint of MariaDB', 4025, '23000', 'plant refused'],
  ['a check constraint of MySQL', 3819, 'HY000', 'plant refused'],
  ['an unknown column', 1054, '42S22'],
  ['a lock that was waited for too long', 1205, 'HY000'],
  ['a full table', 1114, 'HY000'],
  ['a full disk', 1021, 'HY000'],
  ['a wrong password', 1045, '28000'],
])('%s: %s %s %s %s', (_, errno, sqlState, ...expected) => {
  const error = mysqlError(reported(errno, sqlState, 'it'));
  expect({
    'connection lost': isConnectionError(error),
    transient: isTransient(translateError(error)),
    'plant refused': refusesPlant(error),
  }).toEqual({
    'connection lost': expected.includes('connection lost'),
    transient: expected.includes('transient'),
    'plant refused': expected.includes('plant refused'),
  });
});

test('where no server listens, the message says what to do; neither it nor its cause holds the password', async () => {
  const store = await openMysql({ connectionString: 'mysql://me:s3cret@127.0.0.1:1/plants' });
  onTestFinished(() => store.close());
  const error: Error = await store.check().then(
    () => expect.fail('it did not fail'),
    (reason) => reason,
  );
  expect(error.message).toBe(
    'MySQL: connect ECONNREFUSED 127.0.0.1:1 (ECONNREFUSED); check that it runs and that host and port are right',
  );
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('s3cret');
});
