import { setTimeout as sleep } from 'node:timers/promises';
import { openTransaction, ownServer, runSql } from '@plant-store/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { migratedDatabase, openStore, waitForStandby } from './open-store.ts';

const server = ownServer({ fsync: false });

const fern = { id: 1n, name: 'Fern' };
/** The holder of a lock is looked up halfway, which takes a busy server a second. */
const timeoutMs = 4_000;
const patient = { timeout: 40_000 };
const messageOf = (call: Promise<unknown>) => call.then(String, ({ message }) => String(message));

test('while no standby confirms commits, the message says so, and blames no session', async () => {
  const { store, url } = await openStore({ connectionString: await migratedDatabase(server.url), timeoutMs });
  await waitForStandby(server.url, 'none');
  onTestFinished(() => waitForStandby(server.url, ''));
  const others = runSql(url, `INSERT INTO plants VALUES (2, 'Moss')`);
  const reason = 'commits wait for a synchronous standby: start it, or change synchronous_standby_names';
  const first = messageOf(store.plants.add(fern));
  await expect
    .poll(() => messageOf(store.check()), patient)
    .toBe(`the store did not respond within 4000 ms: ${reason}`);
  expect(await first).toContain(reason);
  // Waits for the row of the first attempt.
  const { store: another } = await openStore({ connectionString: url, timeoutMs });
  await expect.poll(() => messageOf(another.plants.add(fern)), patient).toContain(reason);
  await waitForStandby(server.url, '');
  await others;
});

test.each([
  ['LOCK TABLE plants', /^the store did not respond within 4000 ms: HOLDER has locked the table plants, or rows of it/],
  ["INSERT INTO plants VALUES (1, 'Moss')", /^HOLDER has locked the row of plant 1: end its transaction$/],
])(
  'after %s in an orphaned prepared transaction, the message has the statement that ends it',
  async (statement, message) => {
    const { store, url } = await openStore({ connectionString: await migratedDatabase(server.url), timeoutMs });
    await runSql(url, `BEGIN; ${statement}; PREPARE TRANSACTION 'an orphan''s'`);
    const end = `ROLLBACK PREPARED 'an orphan''s'`;
    onTestFinished(async () => void (await runSql(url, end).catch(() => {})));
    const holder = `a prepared transaction \\(${end} ends it\\), role "postgres", since ".+"`;
    const expected = new RegExp(message.source.replace('HOLDER', holder));
    await expect.poll(() => messageOf(store.plants.add(fern)), patient).toMatch(expected);
    await runSql(url, end);
    await expect.poll(() => messageOf(store.plants.add(fern)), patient).toBe('[object Object]');
  },
);

test('a slow add of another service is not blamed for its lock', async () => {
  const { store, url } = await openStore({ connectionString: await migratedDatabase(server.url), timeoutMs });
  const { store: slow } = await openStore({ connectionString: url, timeoutMs: 60_000 });
  await runSql(
    url,
    `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
     CREATE TRIGGER wait AFTER INSERT ON plants FOR EACH ROW WHEN (NEW.tag = 'slow') EXECUTE FUNCTION wait()`,
  );
  const adding = messageOf(slow.plants.add({ ...fern, tag: 'slow' }));
  const asleep = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;
  await expect.poll(() => runSql(url, `SELECT ${asleep}`)).toHaveLength(1);
  const unknown = 'another session has locked the row of plant 1: end its transaction (see pg_stat_activity';
  await expect.poll(() => messageOf(store.plants.add(fern)), patient).toContain(unknown);
  await runSql(url, `SELECT pg_cancel_backend(pid) ${asleep}`);
  await adding;
});

test('a session that has locked the same table of a copy of the database is not blamed', async () => {
  const { store, url } = await openStore({ connectionString: await migratedDatabase(server.url), timeoutMs });
  await store.close();
  const original = new URL(url).pathname.slice(1);
  await runSql(server.url, `CREATE DATABASE a_copy TEMPLATE ${original}`);
  await openTransaction(
    Object.assign(new URL(url), { pathname: 'a_copy' }).href,
    `SET application_name = 'a copy'; LOCK TABLE plants`,
  );
  await sleep(200);
  await openTransaction(url, `SET application_name = 'the one'; INSERT INTO plants VALUES (1, 'Moss')`);
  const { store: again } = await openStore({ connectionString: url, timeoutMs });
  await expect.poll(() => messageOf(again.plants.add(fern)), patient).toContain('application "the one"');
});
