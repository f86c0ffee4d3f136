import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { onServer, ownServer, runSql } from '@plant-store/testing/mysql';
import { createConnection } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { migratedDatabase, openStore, openTransaction } from './open-store.ts';

const patient = { timeout: 40_000 };
const fern = { id: 1n, name: 'Fern' };
const SOMEBODY = 'connection \\d+, user "root"(, since ".+")?';
const messageOf = (call: Promise<unknown>) => call.then(String, ({ message }) => String(message));

/** Debian has the plugin in mariadb-server, and not in mariadb-server-core, which suffices for all other tests. */
const hasPlugin = existsSync('/usr/lib/mysql/plugin/metadata_lock_info.so');
const PLUGIN_LOCKS = hasPlugin
  ? ['flush tables with read lock', 'lock tables plants read', 'backup stage start; backup stage block_commit']
  : [];

await onServer(
  () => {
    const instrument = '--performance-schema-instrument=wait/lock/metadata/sql/mdl=ON';
    const server = ownServer({
      fsync: false,
      parameters: ['--log-bin=log', '--sync-binlog=1', '--performance-schema=ON', instrument],
    });

    async function open(connectionString?: string) {
      return openStore({
        connectionString: connectionString ?? (await migratedDatabase(server.url)),
        // The holder of a lock is looked up halfway, which takes a busy server a second.
        timeoutMs: 4_000,
      });
    }

    /** Runs statements on a connection that stays open until the test ends. The last one may wait. */
    async function lock(url: string, statements: string): Promise<number> {
      const connection = await createConnection(url);
      onTestFinished(() => connection.destroy());
      const all = statements.split('; ');
      for (const statement of all.slice(0, -1)) await connection.query(statement);
      await Promise.race([connection.query(all.at(-1) as string).catch(() => {}), sleep(3_000)]);
      return connection.threadId;
    }

    /** Expects that a check and an add name the connection. */
    async function expectNamed(locks: string): Promise<void> {
      const { store, url } = await open();
      const id = await lock(url, locks);
      const holder = SOMEBODY.replace('\\d+', String(id));
      const reason = new RegExp(`^${holder} has locked the table plants, or the whole server: end it$`);
      await expect.poll(() => messageOf(store.check()), patient).toMatch(reason);
      // MariaDB ends the wait for the lock a second after it began, or the store does.
      expect(await messageOf(store.plants.add(fern))).toMatch(
        new RegExp(`(^|: )${holder} has locked the table plants`),
      );
    }

    test.each(['flush tables with read lock', 'lock tables plants write', 'flush tables plants for export'])(
      'after %s, the message names the session by the performance schema',
      expectNamed,
    );

    test.each(PLUGIN_LOCKS)(
      'after %s, the message names the session by MariaDB’s plugin metadata_lock_info',
      async (locks) => {
        await runSql(server.url, "install soname 'metadata_lock_info'");
        onTestFinished(async () => void (await runSql(server.url, "uninstall soname 'metadata_lock_info'")));
        await expectNamed(locks);
      },
    );

    test('a backup that does not block adds is not named', async () => {
      const { store, url } = await open();
      await lock(url, 'backup stage start; backup stage block_ddl');
      await openTransaction(url, "insert into plants (id, name) values (1, 'Moss')");
      await expect
        .poll(() => messageOf(store.plants.add(fern)), patient)
        .toMatch(/connection .* has locked (the row of plant 1|the table plants)/);
    });

    test('an orphaned prepared transaction is named with the statement that ends it, if there is no other', async () => {
      const { store, url } = await open();
      const orphan = async (name: string, id: number) => {
        const insert = `insert into plants (id, name) values (${id}, 'Moss')`;
        for (const connection of [await createConnection(url)]) {
          for (const statement of [`xa start ${name}`, insert, `xa end ${name}`, `xa prepare ${name}`])
            await connection.query(statement);
          await connection.end();
        }
      };
      await orphan(`'an orphan''s', 'b', 7`, 1);
      const end = `XA ROLLBACK X'616e206f727068616e2773',X'62',7`;
      const named = `a prepared transaction (${end} ends it) has locked the row of plant 1: end its transaction`;
      await expect.poll(() => messageOf(store.plants.add(fern)), patient).toBe(named);
      await orphan(`'another'`, 2);
      const either = 'one of the prepared transactions of XA RECOVER (XA ROLLBACK ends one) has locked the row';
      await expect.poll(() => messageOf(store.plants.add(fern)), patient).toContain(either);
      for (const statement of [end, `xa rollback 'another'`]) await runSql(url, statement);
      expect(await store.plants.add(fern)).toEqual({ outcome: 'added' });
    });

    test('while no replica confirms commits, the message says so, and blames no session', async () => {
      const { store } = await open();
      const semiSync = 'set global rpl_semi_sync_master_timeout = 60000, rpl_semi_sync_master_enabled =';
      await runSql(server.url, `${semiSync} on`);
      onTestFinished(async () => void (await runSql(server.url, `${semiSync} off`)));
      const reason = 'commits wait for a semi-synchronous replica: start it, or turn semi-synchronous replication off';
      expect(await messageOf(store.plants.add(fern))).toBe(`the store did not respond within 4000 ms: ${reason}`);
    });

    test('an id in a locked range keeps no other plant of its batch from being inserted', async () => {
      const { store, url } = await open();
      await runSql(url, "insert into plants (id, name) values (99, 'Moss'), (1000, 'Moss')");
      await openTransaction(url, 'select * from plants where id between 100 and 200 for update');
      const adding = Array.from({ length: 20 }, (_, at) => store.plants.add({ ...fern, id: BigInt(at) }));
      // MySQL waits for 1 s for each part with the id, which takes longer than the timeout.
      const blocked = messageOf(store.plants.add({ ...fern, id: 150n }));
      expect(await Promise.all(adding)).toEqual(Array(20).fill({ outcome: 'added' }));
      expect(await blocked).toMatch(/has locked|did not respond/);
    });

    const insert = "insert into plants (id, name) values (1, 'Moss')";

    test('a statement of plant-store is not blamed, however slow', async () => {
      const { store, url } = await open();
      const blocked = await lock(url, `begin; ${insert}`);
      const adding = messageOf(store.plants.add(fern));
      const shown = () => runSql(url, "select info from information_schema.processlist where state = 'Update'");
      await expect.poll(shown).toEqual([{ info: expect.stringMatching(/^\/\* plant-store \*\/ insert/) }]);
      await runSql(url, `kill ${blocked}`);
      await adding;
      await runSql(url, 'delete from plants');
      await lock(url, `begin; ${insert}; /* plant-store */ do sleep(60)`);
      const unknown = 'another session has locked the row of plant 1: end its transaction (see information_schema';
      await expect.poll(() => messageOf(store.plants.add(fern)), patient).toContain(unknown);
    });

    test('a session that waits for another one is not blamed', async () => {
      const { store, url } = await open();
      await lock(url, 'backup stage start; backup stage block_commit');
      await lock(url, `begin; ${insert}; select * from plants for update; commit`);
      expect(await messageOf(store.plants.add(fern))).not.toContain('connection');
    });
  },
  { dedicated: true },
);
