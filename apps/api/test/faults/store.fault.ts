import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../running-service.ts';
import { mountDisk } from './disk.ts';
import { type Store, startPostgres, startSqlite, storedIn } from './stores.ts';
import { byOutcome, type Fault, underFault } from './under-fault.ts';

/** Starts a store; `begin` breaks it, and `repair` repairs it. */
type Breaking = () => Promise<Store & Pick<Fault, 'begin' | 'repair'>>;

const killed: Breaking = async () => {
  const { server, ...store } = await startPostgres();
  return { ...store, begin: server.kill, repair: server.start };
};

const frozen: Breaking = async () => {
  const { server, ...store } = await startPostgres();
  return { ...store, begin: server.pause, repair: server.resume };
};

const sessions = `FROM pg_stat_activity WHERE usename = 'gardener'`;

const withoutStandby: Breaking = async () => {
  const { sql, ...store } = await startPostgres();
  const wait = async (standby: string) => {
    await sql(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
    await sql('SELECT pg_reload_conf()');
  };
  const repair = async () => {
    const backends = Number((await sql(`SELECT count(*) ${sessions}`))[0]?.['count']);
    await wait('');
    expect(backends, "no more than the adapter's pool").toBeLessThanOrEqual(10);
  };
  return { ...store, begin: () => wait('nobody'), repair };
};

/** What the server says is the same as if sessions of others had taken every slot. */
const withoutSlots: Breaking = async () => {
  const { sql, ...store } = await startPostgres();
  const begin = async () => {
    await sql('ALTER ROLE gardener CONNECTION LIMIT 0');
    await sql(`SELECT pg_terminate_backend(pid) ${sessions}`);
  };
  return { ...store, begin, repair: () => sql('ALTER ROLE gardener CONNECTION LIMIT -1') };
};

/** The WAL is elsewhere, so the server itself goes on. */
const fullDisk: Breaking = async () => {
  const { server, sql, url: other } = await startPostgres();
  const { directory, fill, empty } = await mountDisk(server.stop);
  const [small, home] = [join(directory, 'small'), statSync(decodeURIComponent(new URL(server.url).hostname))];
  mkdirSync(small);
  chownSync(small, home.uid, home.gid);
  await sql(`CREATE TABLESPACE small LOCATION '${small}'`);
  await sql('CREATE DATABASE on_small OWNER gardener TEMPLATE template0 TABLESPACE small');
  const { href: url } = Object.assign(new URL(other), { pathname: 'on_small' });
  return { url, stored: (sent) => storedIn(url, sent), begin: fill, repair: empty };
};

const fullDiskOfAFile: Breaking = async () => {
  const { disk, ...store } = await startSqlite();
  return { ...store, begin: disk.fill, repair: disk.empty };
};

const frozenDiskOfAFile: Breaking = async () => {
  const { disk, ...store } = await startSqlite();
  return { ...store, begin: disk.freeze, repair: disk.thaw };
};

test.each<[title: string, Breaking, lastsMs: number, rate?: number, nameLength?: number]>([
  ['the server is killed (SIGKILL) and restarted', killed, 5_000],
  ['the server is frozen (SIGSTOP) and thawed', frozen, 8_000],
  ['the server is frozen for longer than connections stay open', frozen, 45_000, 100],
  ['no standby responds', withoutStandby, 10_000],
  ['no standby responds for longer than connections stay open', withoutStandby, 75_000, 100],
  ['the disk is full', fullDisk, 5_000, 200, 1_000],
  ['no slot of the server is free', withoutSlots, 5_000],
  ['the disk of a SQLite file is full', fullDiskOfAFile, 5_000, 200, 1_000],
  ['the file system of a SQLite file hangs', frozenDiskOfAFile, 10_000],
])('%s', async (title, breaking, lastsMs, rate, nameLength) => {
  const { url, stored, begin, repair } = await breaking();
  const fault = { begin, repair, lastsMs, rate, nameLength };
  const { results, live, ready } = await underFault(title, await serviceAt(url), fault, stored);
  expect(byOutcome(results)).toContain('503');
  expect([live, ready]).toEqual([new Set([200]), new Set([503])]);
});

/** A cluster of your own, and the commands that break and repair it: docs/reliability.md has examples. */
const { FAULTS_DATABASE_URL: cluster = '', FAULTS_BREAK = '', FAULTS_REPAIR = 'true' } = process.env;
const { FAULTS_LASTS_SECONDS = '25', FAULTS_SETTLE_SECONDS = '20' } = process.env;

test.skipIf(!cluster)('a fault of your cluster', async () => {
  const shell = (command: string) => void execFileSync('/bin/sh', ['-c', command], { timeout: 60_000 });
  const fault: Fault = {
    begin: () => shell(FAULTS_BREAK || expect.unreachable('set FAULTS_BREAK to a command that causes the fault')),
    repair: () => shell(FAULTS_REPAIR),
    lastsMs: Number(FAULTS_LASTS_SECONDS) * 1_000,
    thenMs: Number(FAULTS_SETTLE_SECONDS) * 1_000,
    // When a former primary returns, the cluster may fail over once more.
    recoversWithinMs: 5_000,
  };
  await underFault(FAULTS_BREAK, await serviceAt(cluster), fault, (sent) => storedIn(cluster, sent));
});

async function serviceAt(DATABASE_URL: string) {
  const service = await startService({ DATABASE_URL });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  return service;
}
