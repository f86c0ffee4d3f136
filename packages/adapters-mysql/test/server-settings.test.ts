import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateMysql } from '@plant-store/adapters-mysql';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { unobserved } from '@plant-store/sql-store';
import { type DedicatedServer, onServer, runSql, startDedicatedServer } from '@plant-store/testing-mysql';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { hold, migratedDatabase, openStore, toRun, userWith } from './open-store.ts';

const added = { outcome: 'added' };
const fern = { id: 1n, name: 'Fern' };

await onServer(
  () => {
    let directory: string;
    let certificate: string;
    let key: string;
    let servers: readonly [DedicatedServer, DedicatedServer];

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'plant-store-'));
      certificate = join(directory, 'cert.pem');
      key = join(directory, 'key.pem');
      certify('localhost');
      const parameters = [`--ssl-cert=${certificate}`, `--ssl-key=${key}`, '--log-bin=log', '--sync-binlog=1'];
      servers = await Promise.all([
        startDedicatedServer({ fsync: false, parameters }),
        startDedicatedServer({ fsync: false }),
      ]);
    });
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await rm(directory, { recursive: true });
    });

    function certify(name: string): void {
      const curve = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=plants -days 2';
      const files = ['-addext', `subjectAltName=DNS:${name}`, '-keyout', key, '-out', certificate];
      execFileSync('openssl', ['req', ...curve.split(' '), ...files], { stdio: 'ignore' });
    }

    /** Sets it on the first server until the test is over. */
    async function setGlobal(setting: string, value: number | string): Promise<void> {
      const [row] = await runSql(servers[0].url, `select @@global.${setting} as value`);
      await runSql(servers[0].url, `set global ${setting} = ?`, [value]);
      const before = typeof value === 'number' ? Number(row?.['value']) : row?.['value'];
      onTestFinished(async () => void (await runSql(servers[0].url, `set global ${setting} = ?`, [before])));
    }

    test.each([
      ['innodb_flush_log_at_trx_commit', 2],
      ['sync_binlog', 0],
    ])('a server whose %s is %d is refused, by name, until it is 1', async (setting, value) => {
      const { store } = await openStore({ connectionString: await migratedDatabase(servers[0].url) });
      await setGlobal(setting, value);
      const adding = store.plants.add(fern);
      await expect(adding).rejects.toThrow(StoreMisconfigured);
      await expect(adding).rejects.toThrow(`MySQL: ${setting} is not 1, so a crash of the server loses`);
      await runSql(servers[0].url, `set global ${setting} = 1`);
      await expect.poll(() => store.plants.add(fern).catch(String)).toEqual(added);
    });

    test('a setting that changes while sessions are open: a check finds it and stops adds; without one, adds find it after five minutes', async () => {
      const connectionString = await migratedDatabase(servers[0].url);
      const [{ store }, { store: checked }] = await Promise.all([
        openStore({ connectionString }),
        openStore({ connectionString }),
      ]);
      await Promise.all([store.check(), checked.check()]);
      await setGlobal('innodb_flush_log_at_trx_commit', 2);
      await expect(checked.check()).rejects.toThrow(StoreMisconfigured);
      await expect(checked.plants.add(fern)).rejects.toThrow(StoreMisconfigured);

      expect(await store.plants.add(fern)).toEqual(added);
      const now = performance.now.bind(performance);
      const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 300_000);
      onTestFinished(() => later.mockRestore());
      await expect(store.plants.add({ ...fern, id: 2n })).rejects.toThrow(StoreMisconfigured);
    });

    test.each(['MIXED', 'STATEMENT'])(
      'no outcome rests on a row that is not committed, with binlog_format %s',
      async (format) => {
        await setGlobal('tx_isolation', 'READ-UNCOMMITTED');
        await setGlobal('binlog_format', format);
        const url = await migratedDatabase(servers[0].url);
        const { store } = await openStore({ connectionString: url });
        const { letGo } = await hold(url, "insert into plants (id, name) values (1, 'held')");
        const settled = vi.fn<(result: unknown) => void>();
        const adding = store.plants.add(fern).then(settled);
        expect(await store.plants.add({ ...fern, id: 2n })).toEqual(added);
        expect(settled).not.toHaveBeenCalled();
        await letGo();
        await adding;
        expect(settled.mock.calls).toEqual([[added]]);
      },
    );

    test.each(['latin1', 'gbk', 'sjis'])('a text is what it was where init_connect sets %s', async (characterSet) => {
      await setGlobal('init_connect', `set names ${characterSet}`);
      const url = await migratedDatabase(servers[0].url);
      const { store } = await openStore({ connectionString: (await userWith(url, toRun)).href });
      // In gbk and sjis the last byte of the euro sign takes the backslash that follows.
      const name = "Fougère €', null), (2, 'injected', null) -- 🌿";
      expect(await store.plants.add({ id: 1n, name })).toEqual(added);
      expect(await store.plants.add(fern)).toEqual({ outcome: 'exists', plant: { name } });
      expect(await runSql(url, 'select id, name from plants')).toEqual([{ id: '1', name }]);
    });

    test('a plant larger than max_allowed_packet is refused on its own, and says so', async () => {
      await setGlobal('max_allowed_packet', 1_048_576);
      const retried = vi.fn<() => void>();
      const connectionString = await migratedDatabase(servers[0].url);
      const { store, url } = await openStore({ connectionString, observer: { ...unobserved, retried } });
      const [large, ...others] = await Promise.allSettled([
        store.plants.add({ id: 7n, name: 'ä'.repeat(600_000) }),
        ...[1n, 2n].map((id) => store.plants.add({ ...fern, id })),
        // Together with the one before it larger than a statement may be.
        ...[3n, 4n].map((id) => store.plants.add({ id, name: 'x'.repeat(900_000) })),
      ]);
      expect(large).toMatchObject({
        reason: {
          message: expect.stringContaining(
            'the plant is larger than a statement may be, 1048576 bytes: raise max_allowed_packet on the server',
          ),
        },
      });
      expect(large).not.toMatchObject({ reason: expect.any(StoreUnavailable) });
      expect(retried).not.toHaveBeenCalled();
      expect(others).toEqual(Array(4).fill({ status: 'fulfilled', value: added }));
      expect(await runSql(url, 'select id from plants')).toHaveLength(4);
    });

    /** A migrated database of both servers, and their hosts. */
    async function onBoth() {
      const url = await migratedDatabase(servers[0].url);
      const [first = '', second = ''] = servers.map((server) => new URL(server.url).host);
      const other = url.replace(first, second);
      await runSql(servers[1].url, `create database ${new URL(url).pathname.slice(1)}`);
      await migrateMysql({ connectionString: other });
      return { first, second, url, other, at: (...hosts: string[]) => url.replace(first, hosts.join()) };
    }

    test('of several hosts the one that writes is used, and the next one when it is read-only', async () => {
      const { first, second, url, other, at } = await onBoth();
      const { store } = await openStore({ connectionString: at('127.0.0.1:1', first, second) });
      expect(await store.plants.add(fern)).toEqual(added);
      await setGlobal('read_only', 1);
      // The sessions of root may still write: only a new one finds out.
      for (const { id } of await runSql(url, 'select id from information_schema.processlist where db = database()'))
        await runSql(servers[0].url, `kill ${id}`).catch(() => {});
      await expect.poll(() => store.plants.add({ ...fern, id: 2n }).catch(String)).toEqual(added);
      expect(await runSql(other, 'select id from plants')).toEqual([{ id: '2' }]);
    });

    test('of several hosts, one that is misconfigured is passed over with a warning; all are a configuration error', async () => {
      const { first, second, at } = await onBoth();
      await setGlobal('sync_binlog', 0);
      const onWarning = vi.fn<(message: string) => void>();
      const { store } = await openStore({ connectionString: at(first, second), onWarning });
      expect(await store.plants.add(fern)).toEqual(added);
      expect(onWarning.mock.calls).toEqual([
        [expect.stringMatching(`^MySQL: ${first} is passed over: sync_binlog is not 1`)],
      ]);

      const { store: none } = await openStore({ connectionString: at(first, first) });
      const adding = none.plants.add(fern);
      await expect(adding).rejects.toThrow(StoreMisconfigured);
      await expect(adding).rejects.toThrow(/^MySQL: sync_binlog is not 1.*, sync_binlog is not 1/);
    });

    /** Of an add over TLS, with the certificate as its own authority or without one. */
    async function addOverTls(mode: string, authority: boolean): Promise<unknown> {
      const url = new URL(await migratedDatabase(servers[0].url));
      url.hostname = 'localhost';
      url.search = new URLSearchParams({ 'ssl-mode': mode, ...(authority && { 'ssl-ca': certificate }) }).toString();
      const { store } = await openStore({ connectionString: url.href });
      return store.plants.add(fern).catch(String);
    }

    test('TLS: the certificate is checked, and its name, as ssl-mode says', async () => {
      expect(await addOverTls('VERIFY_IDENTITY', true)).toEqual(added);
      expect(await addOverTls('VERIFY_IDENTITY', false)).toContain('self-signed certificate');
      expect(await addOverTls('REQUIRED', false)).toEqual(added);
      certify('db.example');
      await runSql(servers[0].url, 'flush ssl');
      expect(await addOverTls('VERIFY_IDENTITY', true)).toContain("does not match certificate's altnames");
      expect(await addOverTls('VERIFY_CA', true)).toEqual(added);
    });

    test('TLS is what is asked for: a server that has none is not used', async () => {
      const url = `${await migratedDatabase(servers[1].url)}?ssl-mode=REQUIRED`;
      const { store } = await openStore({ connectionString: url });
      await expect(store.plants.add(fern)).rejects.toThrow('Server does not support secure connection');
    });
  },
  { dedicated: true },
);
