import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onServer, ownServer, runSql } from '@plant-store/testing/mysql';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { migratedDatabase, openStore, openTransaction, servicePrivileges, userWith } from './open-store.ts';

const added = { outcome: 'added' };
const fern = { id: 1n, name: 'Fern' };

await onServer(
  () => {
    const directory = mkdtempSync(join(tmpdir(), 'plant-store-'));
    afterAll(() => rmSync(directory, { recursive: true }));
    const [certificate, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
    certify('localhost');
    const tls = [`--ssl-cert=${certificate}`, `--ssl-key=${key}`];
    const server = ownServer({ fsync: false, parameters: [...tls, '--log-bin=log', '--sync-binlog=1'] });

    function certify(name: string): void {
      const curve = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=plants -days 2';
      const files = ['-addext', `subjectAltName=DNS:${name}`, '-keyout', key, '-out', certificate];
      execFileSync('openssl', ['req', ...curve.split(' '), ...files], { stdio: 'ignore' });
    }

    /** Sets a global variable of the server until the test ends. */
    async function setGlobal(setting: string, value: number | string): Promise<void> {
      const [row] = await runSql(server.url, `select @@global.${setting} as value`);
      await runSql(server.url, `set global ${setting} = ?`, [value]);
      const before = typeof value === 'number' ? Number(row?.['value']) : row?.['value'];
      onTestFinished(async () => void (await runSql(server.url, `set global ${setting} = ?`, [before])));
    }

    test.each([
      ['innodb_flush_log_at_trx_commit', 2, 1, 'StoreMisconfigured', 'innodb_flush_log_at_trx_commit is not 1'],
      ['sync_binlog', 0, 1, 'StoreMisconfigured', 'sync_binlog is not 1'],
      // Root may write to a read-only server.
      ['read_only', 1, 0, 'StoreUnavailable', 'it is read-only: connect to the server that writes'],
    ])('a server whose %s is %d gets no plants until it is %d', async (setting, value, right, name, message) => {
      const { store } = await openStore({ connectionString: await migratedDatabase(server.url) });
      await setGlobal(setting, value);
      let id = 0n;
      const addNext = () => store.plants.add({ ...fern, id: id++ }).then(({ outcome }) => outcome, String);
      await expect.poll(addNext, { timeout: 20_000 }).toContain(`${name}: MySQL: ${message}`);
      await runSql(server.url, `set global ${setting} = ${right}`);
      await expect.poll(addNext, { timeout: 20_000 }).toBe('added');
    });

    test('P2/F7 P3/F6 a store overrides what the server sets for sessions', async () => {
      const url = await migratedDatabase(server.url);
      const connectionString = (await userWith(url, servicePrivileges)).href;
      await runSql(url, "alter table plants add constraint refuse check (name <> 'Moss')");
      const settings = {
        sql_mode: 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH',
        // A commit would begin a transaction that holds the next plants.
        completion_type: 'CHAIN',
        tx_isolation: 'READ-UNCOMMITTED',
        // In gbk the last byte of the euro sign absorbs the backslash that follows.
        init_connect: 'set names gbk, session unique_checks = 0',
      };
      for (const [name, value] of Object.entries(settings)) await setGlobal(name, value);
      const { store } = await openStore({ connectionString, poolSize: 1 });
      const names = ["Fougère €', null), (2, 'injected', null) -- 🌿", 'Moss', ...Array(28).fill('\'\\"')];
      const adding = names.map((name, at) => store.plants.add({ id: BigInt(at), name }).catch(({ name }) => name));
      expect(await Promise.all(adding)).toEqual(Array(30).fill(added).with(1, 'PlantRefused'));
      const stored = await runSql(url, 'select id, name from plants order by id');
      expect(stored).toEqual(names.map((name, at) => ({ id: String(at), name })).toSpliced(1, 1));
      // `exists` would be wrong, because the transaction is rolled back.
      const { end } = await openTransaction(url, "insert into plants (id, name) values (-1, 'held')");
      const waiting = store.plants.add({ id: -1n, name: 'Fern' });
      expect(await store.plants.add({ id: -2n, name: 'Fern' })).toEqual(added);
      await end();
      expect(await waiting).toEqual(added);
    });

    /** Adds a plant over TLS. @param authority whether the URL names the certificate as its own authority. */
    async function addOverTls(mode: string, authority: boolean): Promise<unknown> {
      const url = new URL(await migratedDatabase(server.url));
      url.hostname = 'localhost';
      url.search = new URLSearchParams({ 'ssl-mode': mode, ...(authority && { 'ssl-ca': certificate }) }).toString();
      return openStore({ connectionString: url.href })
        .then(({ store }) => store.plants.add(fern))
        .catch(String);
    }

    test('TLS: the certificate is checked, and its name, as ssl-mode says', async () => {
      expect(await addOverTls('VERIFY_IDENTITY', true)).toEqual(added);
      expect(await addOverTls('VERIFY_IDENTITY', false)).toMatch(/self-signed certificate.*; compare ssl-ca/);
      expect(await addOverTls('REQUIRED', false)).toEqual(added);
      certify('db.example');
      await runSql(server.url, 'flush ssl');
      expect(await addOverTls('VERIFY_IDENTITY', true)).toContain("does not match certificate's altnames");
      expect(await addOverTls('VERIFY_CA', true)).toEqual(added);
    });
  },
  { dedicated: true },
);
