import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../running-service.ts';
import { mountDisk } from './disk.ts';
import { type PostgresStore, startStore, storedIn } from './postgres-store.ts';
import { byOutcome, type Fault, underFault } from './under-fault.ts';

/** What breaks a store and repairs it, and where its database is, if it is another one. */
type Breaks = Pick<Fault, 'begin' | 'repair'> & { readonly url?: string };
type Breaking = (store: PostgresStore) => Breaks | Promise<Breaks>;

const killed: Breaking = ({ server: { kill, start } }) => ({ begin: kill, repair: start });

const frozen: Breaking = ({ server: { pause, resume } }) => ({ begin: pause, repair: resume });

const withoutStandby: Breaking = ({ sql }) => {
  const wait = async (standby: string) => {
    await sql(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
    await sql('SELECT pg_reload_conf()');
  };
  return { begin: () => wait('nobody'), repair: () => wait('') };
};

/** What the server says is the same as if sessions of others had taken every slot. */
const withoutSlots: Breaking = ({ sql }) => ({
  async begin() {
    await sql('ALTER ROLE gardener CONNECTION LIMIT 0');
    await sql(`SELECT pg_terminate_backend(pid) ${SESSIONS}`);
  },
  repair: () => sql('ALTER ROLE gardener CONNECTION LIMIT -1'),
});

/** The WAL is elsewhere, so the server itself goes on. */
const fullDisk: Breaking = async ({ server, sql, url }) => {
  const { directory, fill, empty } = await mountDisk(server.stop);
  const [small, home] = [join(directory, 'small'), statSync(decodeURIComponent(new URL(server.url).hostname))];
  mkdirSync(small);
  chownSync(small, home.uid, home.gid);
  await sql(`CREATE TABLESPACE small LOCATION '${small}'`);
  await sql('CREATE DATABASE on_small OWNER gardener TEMPLATE template0 TABLESPACE small');
  return { begin: fill, repair: empty, url: Object.assign(new URL(url), { pathname: 'on_small' }).href };
};

const SESSIONS = `FROM pg_stat_activity WHERE usename = 'gardener'`;

test.each<[title: string, Breaking, lastsMs: number, rate?: number, nameLength?: number]>([
  ['the server is killed (SIGKILL) and restarted', killed, 5_000],
  ['the server is frozen (SIGSTOP) and thawed', frozen, 8_000],
  ['the server is frozen for longer than connections stay open', frozen, 45_000, 100],
  ['no standby responds', withoutStandby, 10_000],
  ['no standby responds for longer than connections stay open', withoutStandby, 75_000, 100],
  ['the disk is full', fullDisk, 5_000, 200, 1_000],
  ['no slot of the server is free', withoutSlots, 5_000],
])('%s', async (title, breaking, lastsMs, rate, nameLength) => {
  const store = await startStore();
  const { url = store.url, begin, repair } = await breaking(store);
  const service = await serviceAt(url);
  let sessions = 0;
  const counted = async () => {
    if (breaking === withoutStandby)
      sessions = Number((await store.sql(`SELECT count(*) ${SESSIONS}`))[0]?.[0]?.['count']);
    await repair();
  };
  const fault = { begin, repair: counted, lastsMs, rate, nameLength };
  const { results, live, ready } = await underFault(title, service, fault, (sent) => storedIn(url, sent));
  expect(byOutcome(results)).toContain('503');
  expect([live, ready]).toEqual([new Set([200]), new Set([503])]);
  expect(sessions, "no more than the adapter's pool").toBeLessThanOrEqual(10);
});

test('one backend at a time is terminated: no client notices', async () => {
  const { url, sql } = await startStore();
  const terminate = async () => {
    // Preferably one that is storing plants. The pause lets the service reconnect.
    for (let times = 0; times < 10; times += 1)
      await sql(
        `SELECT pg_terminate_backend(pid), pg_sleep(0.2) FROM (SELECT pid ${SESSIONS} ORDER BY state <> 'active' LIMIT 1) AS one`,
      );
  };
  const fault = { begin: terminate, repair: () => {}, lastsMs: 0 };
  const { results } = await underFault('backends terminated', await serviceAt(url), fault, (sent) =>
    storedIn(url, sent),
  );
  expect(byOutcome(results)).not.toContain('503');
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
