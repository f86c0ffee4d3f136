import { inspect } from 'node:util';
import { freshDatabase, onServer, runSql } from '@plant-store/testing/mysql';
import { createConnection } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { isTaken, mysqlErrors } from '../src/errors.ts';
import { migratedDatabase, openStore, userWith } from './open-store.ts';

const { translate, classify } = mysqlErrors;

const makeError = (errno: number, sqlState: string, message: string) =>
  Object.assign(new Error(message), { errno, sqlState, sqlMessage: message, sql: 'insert into plants … Fern' });

test.each([
  [1062, '23000', "Duplicate entry 'Fern' for key 'tag'"],
  [1064, '42000', "You have an error in your SQL syntax near 'Fern'"],
  [1366, 'HY000', "Incorrect string value: 'Fern' for column 'name'"],
  [1644, '45000', 'no Fern'],
  [1644, 'PL001', 'no Fern'],
  [9999, 'HY000', 'of a later version: Fern'],
])('P7/F7 error %d shows nothing of a statement, in no property and no cause', (errno, sqlState, message) => {
  const error = translate(makeError(errno, sqlState, message));
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('Fern');
  expect(error.message).toContain('the statement or one of its values is rejected');
});

test('a duplicate means a taken id only in the primary key, whatever the plant says', () => {
  const isDuplicateTaken = (of: string) => isTaken(makeError(1062, '23000', `Duplicate entry ${of}`));
  for (const key of ['PRIMARY', 'plants.PRIMARY']) expect(isDuplicateTaken(`'1' for key '${key}'`)).toBe(true);
  expect(isDuplicateTaken("'1' for key 'PRIMARY' for key 'tag'")).toBe(false);
});

const TABLE = 'alter table plants';
const INSERT = "insert into plants (id, name, tag) values (40000, '蕨', 'of a test')";
const TRIGGER = 'create trigger t before insert on plants for each row';

await onServer(() => {
  test.each<[errno: number, name: string, meaning: string, ...statements: string[]]>([
    [1146, 'StoreUnavailable', 'other', 'drop table plants', INSERT],
    [1305, 'StoreMisconfigured', 'other', `${TRIGGER} set new.name = missing(1)`, INSERT],
    [1364, 'StoreMisconfigured', 'other', `${TABLE} add planter int not null`, INSERT],
    [1792, 'StoreUnavailable', 'transient', 'set session transaction read only', INSERT],
    [1927, 'StoreUnavailable', 'transient', 'kill connection_id()'],
    [1317, 'StoreUnavailable', 'transient', 'kill query connection_id()'],
    [1062, 'StoreUnavailable', 'locked', INSERT, INSERT],
    [1062, 'PlantRefused', 'refused', `${TABLE} add unique (tag(9))`, INSERT, INSERT.replace('40000', '1')],
    [4025, 'PlantRefused', 'refused', `${TABLE} add check (id <> 40000)`, INSERT],
    [1644, 'PlantRefused', 'refused', `${TRIGGER} signal sqlstate '45000'`, INSERT],
    [1644, 'PlantRefused', 'refused', `${TRIGGER} signal sqlstate 'PL001'`, INSERT],
    [31001, 'PlantRefused', 'refused', `${TRIGGER} signal sqlstate 'PL001' set mysql_errno = 31001`, INSERT],
    [1366, 'PlantRefused', 'refused', `${TABLE} modify name longtext character set latin1`, INSERT],
  ])('error %d of the server is %s, %s', async (errno, name, meaning, ...statements) => {
    const connection = await createConnection(await migratedDatabase());
    onTestFinished(() => connection.destroy());
    const last = statements.pop() as string;
    for (const statement of statements) await connection.query(statement);
    const failure = await connection.query(last).catch((error: unknown) => error);
    expect(failure).toHaveProperty('errno', errno);
    expect([translate(failure).name, classify(failure)]).toEqual([name, meaning]);
  });

  test.each<[what: string, change: (url: URL) => Promise<Partial<URL>>, message: RegExp]>([
    ['a wrong password', async () => ({ password: 'wrong' }), /\(1045\); check user, password/],
    [
      'a missing database',
      async ({ pathname }) => ({ pathname: `${pathname}_none` }),
      /\(10(44|49)\); create the data/,
    ],
    ['a missing privilege', async (url) => revoke(url).then(() => ({})), /\(1142\); grant the user/],
  ])('P8/F11 opening with %s throws StoreMisconfigured', async (_, change, message) => {
    const url = await userWith(await migratedDatabase(), { '*': 'select, insert, update, delete' });
    const { href } = Object.assign(url, await change(url));
    const opening = openStore({ connectionString: href });
    await expect(opening).rejects.toMatchObject({ name: 'StoreMisconfigured' });
    await expect(opening).rejects.toThrow(message);
  });

  async function revoke({ username, pathname }: URL): Promise<void> {
    await runSql(await freshDatabase(), `revoke insert on ${pathname.slice(1)}.* from ${username}`);
  }

  test('P5/F3 an account at its connection limit is transient', async () => {
    const url = await userWith(await migratedDatabase(), { '*': 'all' });
    await runSql(await freshDatabase(), `alter user ${url.username} with max_user_connections 1`);
    const connection = await createConnection(url.href);
    onTestFinished(() => connection.destroy());
    const failure = await runSql(url.href, 'select 1').catch((error: unknown) => error);
    expect(classify(failure)).toBe('transient');
  });
});
