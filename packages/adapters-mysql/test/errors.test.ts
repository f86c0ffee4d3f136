import { inspect } from 'node:util';
import { openMysql } from '@plant-store/adapters-mysql';
import { StoreMisconfigured } from '@plant-store/domain';
import { expect, onTestFinished, test } from 'vitest';
import { isTransient, mysqlError, storeUnavailable } from '../src/errors.ts';

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

test('of several hosts, each has to be misconfigured', () => {
  const [wrong, down] = ['ENOTFOUND', 'ECONNREFUSED'].map((code) =>
    mysqlError(Object.assign(new Error('it'), { code })),
  );
  expect(storeUnavailable(new AggregateError([wrong, wrong]))).toBeInstanceOf(StoreMisconfigured);
  expect(storeUnavailable(new AggregateError([wrong, down]))).not.toBeInstanceOf(StoreMisconfigured);
  const settings = new StoreMisconfigured('MySQL: a setting');
  expect([settings, down].map((part) => isTransient(storeUnavailable(new AggregateError([settings, part]))))).toEqual([
    false,
    true,
  ]);
});

test.each([
  ['a deadlock, or a conflict of two nodes', 1213, '40001', true],
  ['a shutdown', 1053, '08S01', true],
  ['a node that has lost the others', 1047, '08S01', true],
  ['a read-only server', 1290, 'HY000', true],
  ['a full table', 1114, 'HY000', false],
  ['a statement that is too large', 1153, '08S01', false],
  ['a wrong password', 1045, '28000', false],
])('%s is transient: %s %s %s', (_, errno, sqlState, expected) => {
  expect(isTransient(storeUnavailable(mysqlError(reported(errno, sqlState, 'it'))))).toBe(expected);
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
