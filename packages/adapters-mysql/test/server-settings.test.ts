import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateMysql } from '@plant-store/adapters-mysql';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { type DedicatedServer, onServer, runSql, startDedicatedServer } from '@plant-store/testing-mysql';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { migratedDatabase, openStore } from './open-store.ts';

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
      const settings = [`--ssl-cert=${certificate}`, `--ssl-key=${key}`, '--log-bin=log', '--sync-binlog=1'];
      servers = await Promise.all([startDedicatedServer(...settings), startDedicatedServer()]);
    });
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await rm(directory, { recursive: true });
    });

    function certify(name: string): void {
      const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=plants', '-days', '2'];
      const files = ['-addext', `subjectAltName=DNS:${name}`, '-keyout', key, '-out', certificate];
      execFileSync('openssl', [...request, ...files], { stdio: 'ignore' });
    }

    /** Sets it on the first server until the test is over. */
    async function setGlobal(setting: string, value: number): Promise<void> {
      const [row] = await runSql(servers[0].url, `select @@global.${setting} as value`);
      await runSql(servers[0].url, `set global ${setting} = ${value}`);
      onTestFinished(async () => void (await runSql(servers[0].url, `set global ${setting} = ${row?.['value']}`)));
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

    test('a plant larger than max_allowed_packet is refused on its own, and says so', async () => {
      await setGlobal('max_allowed_packet', 1_048_576);
      const { store, url } = await openStore({ connectionString: await migratedDatabase(servers[0].url) });
      const [large, ...others] = await Promise.allSettled([
        store.plants.add({ id: 7n, name: 'ä'.repeat(600_000) }),
        ...[1n, 2n].map((id) => store.plants.add({ ...fern, id })),
        // Together with the one before it larger than a statement may be.
        ...[3n, 4n].map((id) => store.plants.add({ id, name: 'x'.repeat(900_000) })),
      ]);
      expect(large).toMatchObject({
        reason: {
          message: 'the plant is larger than a statement may be, 1048576 bytes: raise max_allowed_packet on the server',
        },
      });
      expect(large).not.toMatchObject({ reason: expect.any(StoreUnavailable) });
      expect(others).toEqual(Array(4).fill({ status: 'fulfilled', value: added }));
      expect(await runSql(url, 'select id from plants')).toHaveLength(4);
    });

    test('of several hosts the one that writes is used, and the next one when it is read-only', async () => {
      const url = await migratedDatabase(servers[0].url);
      const database = new URL(url).pathname.slice(1);
      const [first, second] = servers.map((server) => new URL(server.url).host);
      await runSql(servers[1].url, `create database ${database}`);
      const other = url.replace(String(first), String(second));
      await migrateMysql({ connectionString: other });

      const { store } = await openStore({
        connectionString: url.replace(String(first), `127.0.0.1:1,${first},${second}`),
      });
      expect(await store.plants.add(fern)).toEqual(added);
      await setGlobal('read_only', 1);
      // The sessions of root may still write: only a new one finds out.
      await runSql(servers[0].url, 'select 1');
      for (const { id } of await runSql(url, 'select id from information_schema.processlist where db = database()'))
        await runSql(servers[0].url, `kill ${id}`).catch(() => {});
      await expect.poll(() => store.plants.add({ ...fern, id: 2n }).catch(String)).toEqual(added);
      expect(await runSql(other, 'select id from plants')).toEqual([{ id: '2' }]);
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
