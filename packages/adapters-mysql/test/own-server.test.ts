import { storeHarness } from '@plant-store/adapters-mysql/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesThatNeed, storeContracts } from '@plant-store/contracts-stores';
import { completeOptions, type ServerOptions, type StoreObserver, unobserved } from '@plant-store/store-kit';
import { onServer, ownServer, runSql } from '@plant-store/testing/mysql';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openPool } from '../src/pool.ts';
import { openTransaction } from './open-store.ts';

function open(options: ServerOptions, timeoutMs = 20_000) {
  const db = openPool(completeOptions(options), timeoutMs);
  onTestFinished(() => db.destroy());
  return db;
}

const ownId = sql<{ id: bigint }>`select connection_id() as id`;

const outage = clausesThatNeed('external', storeHarness(''));
const crash = clausesThatNeed('survivesServerCrash', storeHarness(''));
/** Clauses about outages wait for it. A store on a busy machine may need more than the usual 2 s. */
const timeoutMs = 4_000;

await onServer(
  () => {
    // These tests kill the server, freeze it, or inspect its sessions.
    const server = ownServer();

    describe('on a server that freezes:', () => {
      const startOutage = () => server.pause().then(() => server.resume);
      describeContract(storeContracts, () => storeHarness(server.url, { startOutage, timeoutMs }), {
        clauses: outage,
      });
    });

    describe('on a server that is killed:', () => {
      const killServer = () => server.kill().then(() => server.start);
      // With this lock reads succeed and commits wait.
      const failCommits = async () => (await openTransaction(server.url, 'flush tables with read lock')).end;
      const faults = { startOutage: killServer, killServer, failCommits, timeoutMs };
      // An open store then has only lost connections. Of the clauses about outages these find the most of what that can break.
      describeContract(storeContracts, () => storeHarness(server.url, faults), {
        clauses: (clause) => (crash(clause) && clause.id !== 'PR-18') || ['PR-13', 'PR-19'].includes(clause.id),
      });
      // On a busy disk an add may take seconds after the recovery.
      describeContract(storeContracts, () => storeHarness(server.url, { ...faults, timeoutMs: 10_000 }), {
        clauses: ({ id }) => id === 'PR-18',
      });
    });

    const list = () => runSql(server.url, 'select id, state from information_schema.processlist');

    test('an idle connection that is killed is reported, and replaced', async () => {
      const onError = vi.fn<(error: Error) => void>();
      const db = open({ connectionString: server.url, onError });
      const { id } = (await ownId.execute(db)).rows[0] ?? {};
      await runSql(server.url, `kill ${id}`);
      await expect.poll(() => onError.mock.calls.flat().map(String), { timeout: 20_000 }).toHaveLength(1);
      expect(String(onError.mock.calls[0]?.[0])).toMatch(/idle connection to MySQL lost: ./);
      expect((await ownId.execute(db)).rows[0]?.id).not.toBe(id);
    });

    test('P5/F3 a statement that does not end in time is ended on the server, and idle connections are replaced', async () => {
      const watchConnections = vi.fn<StoreObserver['watchConnections']>();
      const db = open({ connectionString: server.url, observer: { ...unobserved, watchConnections } }, 1_000);
      const ids = (await Promise.all([ownId.execute(db), ownId.execute(db)])).map(({ rows }) => String(rows[0]?.id));
      expect(watchConnections.mock.calls[0]?.[0]()).toEqual({ used: 0, idle: 2, pending: 0, max: 10 });
      await db.connection().execute(async (session) => {
        // It does not notice that its connection is closed.
        const endless = sql`select benchmark(1e12, sha2('Fern', 512))`;
        await expect(endless.execute(session)).rejects.toThrow('no response within 1000 ms');
        expect(watchConnections.mock.calls[0]?.[0]()).toMatchObject({ used: 0, idle: 0 });
        await expect(ownId.execute(session)).rejects.toThrow('no response within 1000 ms');
      });
      const isListed = async () => (await list()).some(({ id }) => ids.includes(String(id)));
      await expect.poll(isListed, { timeout: 20_000 }).toBe(false);
      expect((await ownId.execute(db)).rows).toHaveLength(1);
    });

    test('P9/F3 a pool that is closed keeps no process alive, even if the server hangs', async () => {
      const countSockets = () => process.getActiveResourcesInfo().filter((each) => each === 'TCPSocketWrap').length;
      const becomes = (count: number) => expect.poll(countSockets, { timeout: 20_000 }).toBe(count);
      await becomes(0);
      const db = open({ connectionString: server.url });
      await ownId.execute(db);
      await becomes(1);
      await server.pause();
      await db.destroy();
      await becomes(0).finally(() => server.resume());
    });
  },
  { dedicated: true },
);
