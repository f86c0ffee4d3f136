import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
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
    const odd = ['--innodb-rollback-on-timeout', '--skip-ssl', '--lower-case-table-names=1'];
    const servers = [
      ownServer({ fsync: false, parameters: [...tls, '--log-bin=log', '--sync-binlog=1'] }),
      ownServer({ fsync: false, parameters: odd }),
    ] as const;

    function certify(name: string): void {
      const curve = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=plants -days 2';
      const files = ['-addext', `subjectAltName=DNS:${name}`, '-keyout', key, '-out', certificate];
      execFileSync('openssl', ['req', ...curve.split(' '), ...files], { stdio: 'ignore' });
    }

    /** Sets a global variable of the first server until the test ends. */
    async function setGlobal(setting: string, value: number | string): Promise<void> {
      const [row] = await runSql(servers[0].url, `select @@global.${setting} as value`);
      await runSql(servers[0].url, `set global ${setting} = ?`, [value]);
      const before = typeof value === 'number' ? Number(row?.['value']) : row?.['value'];
      onTestFinished(async () => void (await runSql(servers[0].url, `set global ${setting} = ?`, [before])));
    }

    test.each([
      [
        'innodb_flush_log_at_trx_commit',
        2,
        1,
        StoreMisconfigured,
        'innodb_flush_log_at_trx_commit is not 1, so a crash',
      ],
      ['sync_binlog', 0, 1, StoreMisconfigured, 'sync_binlog is not 1, so a crash of the server loses'],
      // Root may write to a read-only server.
      ['read_only', 1, 0, StoreUnavailable, 'the server is read-only: connect to the primary'],
    ])(
      'a server whose %s is %d is rejected until it is %d, and the message names the setting',
      async (setting, value, right, Failure, message) => {
        const connectionString = await migratedDatabase(servers[0].url);
        const { store } = await openStore({ connectionString });
        await setGlobal(setting, value);
        await expect(store.check()).rejects.toThrow(`MySQL: ${message}`);
        if (Failure === StoreMisconfigured) await expect(store.plants.add(fern)).rejects.toThrow(message);
        const adding = openStore({ connectionString }).then((anew) => anew.store.plants.add(fern));
        await expect(adding).rejects.toThrow(Failure);
        await runSql(servers[0].url, `set global ${setting} = ${right}`);
        await expect.poll(() => store.plants.add(fern).catch(String)).toEqual(added);
      },
    );

    test.each([
      ['sql_mode', 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH'],
      // With CHAIN a commit would begin a transaction that holds the next plants.
      ['completion_type', 'CHAIN'],
      ['tx_read_only', 1],
      ['unique_checks', 0],
      ['group_concat_max_len', 64],
    ])('a store overrides the server setting %s = %s', async (setting, value) => {
      const url = await migratedDatabase(servers[0].url);
      await runSql(url, "alter table plants add constraint refuse check (name <> 'Moss')");
      await setGlobal(setting, value);
      if (setting === 'unique_checks') await setGlobal('foreign_key_checks', 0);
      const { store } = await openStore({ connectionString: url, poolSize: 1 });
      const plants = Array.from({ length: 30 }, (_, at) => ({ id: BigInt(at), name: at === 3 ? 'Moss' : `'\\"${at}` }));
      for (const outcome of ['added', 'exists']) {
        const results = await Promise.allSettled(plants.map((plant) => store.plants.add(plant)));
        const outcomes = results.map((each) => (each.status === 'fulfilled' ? each.value.outcome : each.reason.name));
        expect(outcomes).toEqual(Array(30).fill(outcome).with(3, 'PlantRefused'));
      }
      const stored = await runSql(url, 'select id, name from plants order by id');
      expect(stored).toEqual(plants.toSpliced(3, 1).map(({ id, name }) => ({ id: String(id), name })));
    });

    test.each(['MIXED', 'STATEMENT'])(
      'no outcome depends on an uncommitted row, with binlog_format %s',
      async (format) => {
        await setGlobal('tx_isolation', 'READ-UNCOMMITTED');
        await setGlobal('binlog_format', format);
        const url = await migratedDatabase(servers[0].url);
        const { store } = await openStore({ connectionString: url });
        const { end } = await openTransaction(url, "insert into plants (id, name) values (1, 'held')");
        const adding = store.plants.add(fern);
        expect(await store.plants.add({ ...fern, id: 2n })).toEqual(added);
        // The transaction is rolled back, so `exists` would have been wrong.
        await end();
        expect(await adding).toEqual(added);
      },
    );

    test.each(['latin1', 'gbk', 'sjis'])('a text is what it was where init_connect sets %s', async (characterSet) => {
      await setGlobal('init_connect', `set names ${characterSet}`);
      const url = await migratedDatabase(servers[0].url);
      const { store } = await openStore({ connectionString: (await userWith(url, servicePrivileges)).href });
      // In gbk and sjis the last byte of the euro sign absorbs the backslash that follows.
      const name = "Fougère €', null), (2, 'injected', null) -- 🌿";
      expect(await store.plants.add({ id: 1n, name })).toEqual(added);
      expect(await store.plants.add(fern)).toEqual({ outcome: 'exists', plant: { name } });
      expect(await runSql(url, 'select id, name from plants')).toEqual([{ id: '1', name }]);
    });

    test('a plant larger than max_allowed_packet is rejected alone, and the message names the setting', async () => {
      await setGlobal('max_allowed_packet', 1_048_576);
      const { store } = await openStore({ connectionString: await migratedDatabase(servers[0].url) });
      // The last two together exceed max_allowed_packet.
      const names = ['ä'.repeat(600_000), 'Fern', 'x'.repeat(900_000), 'y'.repeat(900_000)];
      const adding = names.map((name, at) => store.plants.add({ id: BigInt(at), name }));
      const [large, ...others] = await Promise.allSettled(adding);
      const message = expect.stringContaining('larger than 1048576 bytes: raise max_allowed_packet on the server');
      expect(large).toMatchObject({ reason: { name: 'PlantRefused', message } });
      expect(others).toEqual(Array(3).fill({ status: 'fulfilled', value: added }));
    });

    test('a batch with refused and locked plants takes two commits, and each plant has its own outcome', async () => {
      const url = await migratedDatabase(servers[0].url);
      const { store } = await openStore({ connectionString: url, maxWrites: 1, timeoutMs: 6_000 });
      await runSql(url, "alter table plants add constraint refuse check (name <> 'Moss')");
      await openTransaction(url, "insert into plants (id, name) values (7, 'held')");
      const commits = async () => Number((await runSql(url, `show global status like 'Binlog_commits'`))[0]?.['Value']);
      const before = await commits();
      const plants = Array.from({ length: 300 }, (_, at) => ({ id: BigInt(at), name: at % 10 ? 'Fern' : 'Moss' }));
      const adding = plants.map((plant) => store.plants.add(plant));
      const outcomes = await Promise.allSettled(adding.toSpliced(7, 1));
      expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(30);
      expect(await commits()).toBeLessThanOrEqual(before + 2);
      await expect(adding[7]).rejects.toThrow(StoreUnavailable);
    });

    test('with innodb_rollback_on_timeout every acknowledged plant is stored', async () => {
      const url = await migratedDatabase(servers[1].url);
      const { store } = await openStore({ connectionString: url, timeoutMs: 5_000 });
      const { end } = await openTransaction(url, "insert into plants (id, name) values (5, 'held')");
      const ids = Array.from({ length: 10 }, (_, at) => BigInt(at));
      const results = await Promise.allSettled(ids.map((id) => store.plants.add({ ...fern, id })));
      const acknowledged = ids.filter((_, at) => results[at]?.status === 'fulfilled').map(String);
      await end();
      const stored = (await runSql(url, 'select id from plants')).map(({ id }) => id);
      expect(stored).toEqual(expect.arrayContaining(acknowledged));
    });

    test('with lower_case_table_names the case of the database in the URL does not matter', async () => {
      const url = new URL(await migratedDatabase(servers[1].url));
      const { store } = await openStore({
        connectionString: Object.assign(url, { pathname: url.pathname.toUpperCase() }).href,
      });
      expect(await store.plants.add(fern)).toEqual(added);
      await runSql(url.href, 'alter table plants add planter int not null');
      await expect(store.check()).rejects.toThrow('the column planter is NOT NULL');
    });

    /** Adds a plant over TLS. @param authority whether the URL names the certificate as its own authority. */
    async function addOverTls(mode: string, authority: boolean): Promise<unknown> {
      const url = new URL(await migratedDatabase(servers[0].url));
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
      await runSql(servers[0].url, 'flush ssl');
      expect(await addOverTls('VERIFY_IDENTITY', true)).toContain("does not match certificate's altnames");
      expect(await addOverTls('VERIFY_CA', true)).toEqual(added);
      const without = openStore({ connectionString: `${await migratedDatabase(servers[1].url)}?ssl-mode=REQUIRED` });
      await expect(without).rejects.toThrow('(HANDSHAKE_NO_SSL_SUPPORT); turn TLS on there, or write ssl-mode');
    });
  },
  { dedicated: true },
);
