import { inspect } from 'node:util';
import { openMysql } from '@plant-store/adapters-mysql';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { NOT_MIGRATED } from '@plant-store/store-kit';
import { expect, onTestFinished, test } from 'vitest';
import { isConflict, mysqlErrors, reported } from '../src/errors.ts';

const { isLost, isRefused, isTransient, translate } = mysqlErrors;

test.each([
  [1062, '23000', "Duplicate entry 'Fern' for key 'tag'"],
  [1064, '42000', "You have an error in your SQL syntax near 'Fern'"],
  [1366, 'HY000', "Incorrect string value: 'Fern' for column 'name'"],
  [1644, '45000', 'no Fern'],
  [1977, 'HY000', "Cannot convert 'utf8mb4' character 'Fern' to 'latin1'"],
  [9999, 'HY000', 'of a later version: Fern'],
])('error %d shows nothing of a statement, in no property and no cause', (errno, sqlState, message) => {
  const sql = 'insert into plants … Fern';
  const error = translate(Object.assign(reported(errno, sqlState, message), { sql, sqlMessage: message }));
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('Fern');
  expect(error).toHaveProperty('message', `MySQL: the statement or one of its values is refused (${errno})`);
});

const slots = "raise max_connections or the account's MAX_USER_CONNECTIONS, or lower the pool size of its clients";

// With the texts of MariaDB 10.11 and MySQL 8.0.
test.each<[number, string, string, typeof StoreUnavailable, string?]>([
  [1040, '08004', 'Too many connections', StoreUnavailable, slots],
  [
    1045,
    '28000',
    "Access denied for user 'me'@'h' (using password: YES)",
    StoreMisconfigured,
    'check user and password',
  ],
  [1146, '42S02', "Table 'd.plants' doesn't exist", StoreUnavailable, NOT_MIGRATED],
  [1205, 'HY000', 'Lock wait timeout exceeded; try restarting transaction', StoreUnavailable],
])('error %d (%s) keeps its text, "%s", as a %O, with a hint: %s', (errno, sqlState, text, Failure, hint) => {
  const message = `MySQL: ${text} (${errno})${hint ? `; ${hint}` : ''}`;
  expect(translate(reported(errno, sqlState, text))).toStrictEqual(new Failure(message, { cause: expect.anything() }));
});

test('the id is taken if the key is the primary one, whatever a text says', () => {
  const duplicate = (of: string) => isConflict(reported(1062, '23000', `Duplicate entry ${of}`));
  expect(duplicate("'1' for key 'PRIMARY'")).toBe(true);
  expect(duplicate("'1' for key 'plants.PRIMARY'")).toBe(true);
  expect(duplicate("'1' for key 'PRIMARY' for key 'tag'")).toBe(false);
  expect(isConflict(Object.assign(new Error("'1' for key 'PRIMARY'"), { errno: -1062 }))).toBe(false);
});

/** What follows from an error: its connection cannot be used again, it is worth a retry, or it is the plant's own fault. */
type Consequence = 'connection lost' | 'transient' | 'plant refused';

test.each<[what: string, errno: number, sqlState: string, ...Consequence[]]>([
  ['a deadlock, or a conflict of two nodes', 1213, '40001', 'transient'],
  ['a statement that was killed', 1317, '70100', 'transient'],
  ['no more connections', 1040, '08004', 'transient'],
  ['a shutdown', 1053, '08S01', 'connection lost', 'transient'],
  ['a node that has lost the others', 1047, '08S01', 'connection lost', 'transient'],
  ['a killed connection', 1927, '70100', 'connection lost', 'transient'],
  ['a statement that is too large', 1153, '08S01', 'plant refused'],
  ['a text that is too long', 1406, '22001', 'plant refused'],
  ["a trigger's signal", 1644, '45000', 'plant refused'],
  ['a check constraint of MariaDB', 4025, '23000', 'plant refused'],
  ['a check constraint of MySQL', 3819, 'HY000', 'plant refused'],
  ['an unknown column', 1054, '42S22'],
  ['a lock that was waited for too long', 1205, 'HY000'],
  ['a wrong password', 1045, '28000'],
])('%s: %s %s %s %s', (_, errno, sqlState, ...expected) => {
  const error = reported(errno, sqlState, 'it');
  expect({
    'connection lost': isLost(error),
    transient: isTransient(translate(error)),
    'plant refused': isRefused(error),
  }).toEqual({
    'connection lost': expected.includes('connection lost'),
    transient: expected.includes('transient'),
    'plant refused': expected.includes('plant refused'),
  });
});

test('where no server listens, the message says what to do; neither it nor its cause holds the password', async () => {
  const store = await openMysql({ connectionString: 'mysql://me:s3cret@127.0.0.1:1/plants' });
  onTestFinished(() => store.close());
  const error = await store.check().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StoreUnavailable);
  expect(error).toHaveProperty(
    'message',
    'MySQL: connect ECONNREFUSED 127.0.0.1:1 (ECONNREFUSED); check that it runs and that host and port are right',
  );
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('s3cret');
});
