import { inspect } from 'node:util';
import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { completeServerOptions } from '@plant-store/store-kit';
import { onServer, ownServer, runSql } from '@plant-store/testing/mysql';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { isConflict, isTooManyConnections, mysqlErrors, serverError } from '../src/errors.ts';
import { migratedDatabase, openStore, userWith } from './open-store.ts';

const { mayBeCausedByTable, isConnectionLost, isTransient, translate } = mysqlErrors;

/** The meaning of an error. A question mark says that the table may be the cause. */
function meaningOf(error: unknown): string {
  const translated = translate(error);
  const mark = mayBeCausedByTable(error) ? '?' : '';
  if (translated instanceof PlantRefused) return `refused${mark}`;
  if (translated instanceof StoreMisconfigured) return `misconfigured${mark}`;
  if (!(translated instanceof StoreUnavailable)) return 'defect';
  return isConnectionLost(error) ? 'lost' : isTransient(error) ? 'transient' : 'unavailable';
}

test.each([
  [1062, '23000', "Duplicate entry 'Fern' for key 'tag'"],
  [1064, '42000', "You have an error in your SQL syntax near 'Fern'"],
  [1366, 'HY000', "Incorrect string value: 'Fern' for column 'name'"],
  [1644, '45000', 'no Fern'],
  [9999, 'HY000', 'of a later version: Fern'],
])('error %d shows nothing of a statement, in no property and no cause', (errno, sqlState, message) => {
  const sql = 'insert into plants … Fern';
  const error = translate(Object.assign(serverError(errno, sqlState, message), { sql, sqlMessage: message }));
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('Fern');
  expect(error).toHaveProperty('message', expect.stringContaining('the statement or one of its values is rejected'));
});

test('a duplicate means a taken id only in the primary key, whatever the plant says', () => {
  const duplicate = (of: string) => isConflict(serverError(1062, '23000', `Duplicate entry ${of}`));
  for (const key of ['PRIMARY', 'plants.PRIMARY']) expect(duplicate(`'1' for key '${key}'`)).toBe(true);
  expect(duplicate("'1' for key 'PRIMARY' for key 'tag'")).toBe(false);
});

test.each([
  ['HANDSHAKE_SSL_ERROR', 'Client network socket disconnected before secure TLS connection was established', 'lost'],
  ['HANDSHAKE_SSL_ERROR', 'F07D0D7C01000000:error:0A000102:SSL routines:ssl_choose_client_version:', 'misconfigured'],
  ['MYSQL_CLEAR_PASSWORD_NOT_ENABLED', 'Server requested authentication using mysql_clear_password', 'misconfigured'],
])('while mysql2 connects: %s, %s: %s', (code, message, meaning) => {
  expect(meaningOf(Object.assign(new Error(message), { code }))).toBe(meaning);
});

const TABLE = 'alter table plants';
const INSERT = "insert into plants (id, name, tag) values (40000, '蕨', 'of a test')";
const TRIGGER = 'create trigger t before insert on plants for each row';

/** The server reports each of these for the last statement. Other errors need faults that tests cannot cause. */
await onServer(
  () => {
    const server = ownServer({ fsync: false, parameters: ['--log-bin=log', '--sync-binlog=1'] });

    test.each<[errno: number, meaning: string, ...statements: string[]]>([
      [1146, 'unavailable', 'drop table plants', INSERT],
      [1146, 'misconfigured?', `${TRIGGER} insert into missing_table values (1)`, INSERT],
      [1305, 'misconfigured?', `${TRIGGER} set new.name = missing(1)`, INSERT],
      [1305, 'transient', 'rollback to savepoint part'],
      [1449, 'misconfigured?', `create definer = gone ${TRIGGER.slice(7)} set new.name = 'x'`, INSERT],
      [1364, 'misconfigured?', `${TABLE} add planter int not null`, INSERT],
      [1814, 'misconfigured', `${TABLE} discard tablespace`, INSERT],
      [1193, 'misconfigured', 'set session of_a_later_version = 1'],
      [1064, 'defect', 'insert plants into'],
      [1792, 'lost', 'set session transaction read only', INSERT],
      [1927, 'lost', 'kill connection_id()'],
      [1317, 'transient', 'kill query connection_id()'],
      [1969, 'unavailable', 'set session max_statement_time = 0.01', 'select sleep(9)'],
      [1062, 'unavailable', INSERT, INSERT],
      [1062, 'refused', `${TABLE} add unique (tag(9))`, INSERT, INSERT.replace('40000', '1')],
      [4025, 'refused', `${TABLE} add check (id <> 40000)`, INSERT],
      [1526, 'refused', `${TABLE} partition by range (id) (partition p values less than (9))`, INSERT],
      [1644, 'refused', `${TRIGGER} signal sqlstate '45000'`, INSERT],
      [1406, 'refused?', `${TABLE} modify tag varchar(3)`, INSERT],
      [1292, 'refused?', `${TABLE} modify tag date`, INSERT],
      [1366, 'refused?', `${TABLE} modify name longtext character set latin1`, INSERT],
    ])('error %d: %s: %s; %s', async (errno, meaning, ...statements) => {
      const last = statements.pop() as string;
      const { sessions } = openDatabase(
        completeServerOptions({ connectionString: await migratedDatabase(server.url) }),
      );
      onTestFinished(() => sessions.end());
      const failure = await sessions.use(async (session) => {
        for (const statement of statements) await session.query(statement);
        return session.query(last).catch((error: unknown) => error);
      });
      expect(failure).toHaveProperty('errno', errno);
      expect(meaningOf(failure)).toBe(meaning);
    });

    test.each([
      [1044, 'create the database, grant the user privileges on it', 'revoke all on DATABASE.* from USER'],
      [1045, 'check user and password, and set ssl-mode if', 'alter user USER require ssl'],
      [1820, 'the password has expired', 'alter user USER password expire'],
    ])('error %s ends the opening: %s', async (code, hint, statement) => {
      const { href, username, pathname } = await userWith(await migratedDatabase(server.url), { '*': 'all' });
      await runSql(server.url, statement.replace('USER', username).replace('DATABASE', pathname.slice(1)));
      const message = expect.stringContaining(`(${code}); ${hint}`);
      await expect(openStore({ connectionString: href })).rejects.toMatchObject({
        name: 'StoreMisconfigured',
        message,
      });
    });

    test('an account at its connection limit is transient, not misconfigured', async () => {
      const url = await userWith(await migratedDatabase(server.url), { '*': 'all' });
      await runSql(server.url, `alter user ${url.username} with max_user_connections 1`);
      const { sessions } = openDatabase(completeServerOptions({ connectionString: url.href }));
      onTestFinished(() => sessions.end());
      await sessions.use(async () => {
        const failure = await runSql(url.href, 'select 1').catch((error: unknown) => error);
        expect([isTooManyConnections(failure), meaningOf(failure)]).toEqual([true, 'transient']);
      });
    });
  },
  { dedicated: true },
);
