import { storeHarness } from '@plant-store/adapters-postgres/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesThatNeed, storeContracts } from '@plant-store/contracts-stores';
import { backends, ownServer, runSql } from '@plant-store/testing/postgres';
import { describe, expect, test, vi } from 'vitest';
import type { PostgresOptions } from '../src/store.ts';
import { migratedDatabase, openStore, trigger, waitForStandby } from './open-store.ts';

// These tests kill the server, freeze it, change its settings, or inspect its processes, and a shared server may be behind a pooler.
const server = ownServer();
const open = async (options: Partial<PostgresOptions>) =>
  openStore({ connectionString: await migratedDatabase(server.url), ...options });

const outage = clausesThatNeed('external', storeHarness(''));
const crash = clausesThatNeed('survivesServerCrash', storeHarness(''));
/** Clauses about outages wait for it. A store on a busy machine may need more than the usual 2 s. */
const timeoutMs = 4_000;

describe('on a server that freezes:', () => {
  const startOutage = () => server.pause().then(() => server.resume);
  describeContract(storeContracts, () => storeHarness(server.url, { startOutage, timeoutMs }), {
    clauses: outage,
  });
});

describe('on a server that is killed:', () => {
  const killServer = () => server.kill().then(() => server.start);
  const failCommits = async () => {
    await waitForStandby(server.url, 'none');
    return () => waitForStandby(server.url, '');
  };
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

const fern = { id: 1n, name: 'Fern' };

test('an idle connection that is terminated is reported and replaced', async () => {
  const onError = vi.fn<(error: Error) => void>();
  const { store, url } = await open({ onError });
  await store.plants.add(fern);
  await runSql(url, 'SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [await backends(url)]);
  await expect.poll(() => onError.mock.calls.length).toBeGreaterThan(0);
  expect(onError.mock.calls[0]?.[0].message).toMatch(/^idle connection to PostgreSQL lost: ./);
  expect(await store.plants.add({ ...fern, id: 2n })).toEqual({ outcome: 'added' });
});

test('P5/F3 a statement that is late is cancelled on the server, and every connection is replaced', async () => {
  const { store, url } = await open({ timeoutMs: 2_000 });
  await store.plants.add(fern);
  const before = await backends(url);
  await runSql(url, trigger('PERFORM pg_sleep(600)'));
  await expect(store.plants.add({ ...fern, id: 2n })).rejects.toThrow(/no response|frozen/);
  await runSql(url, 'DROP FUNCTION act CASCADE');
  await expect.poll(() => store.plants.add(fern).catch(String), { timeout: 20_000 }).toHaveProperty('outcome');
  await expect.poll(async () => (await backends(url)).filter((pid) => before.includes(pid))).toEqual([]);
});

test('P1/F2 if the wait for a standby is cancelled, neither the insert nor finding the row acknowledges the plant', async () => {
  const connectionString = await migratedDatabase(server.url);
  const [first, second] = await Promise.all([open({ connectionString }), open({ connectionString })]);
  await waitForStandby(server.url, 'none');
  // The second attempt finds the row, and waits too.
  for (const { store } of [first, second]) {
    let result: unknown;
    const adding = store.plants.add(fern).then((added) => (result = added), String);
    const waiting = () => runSql(server.url, `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
    await expect.poll(waiting, { timeout: 10_000 }).not.toEqual([]);
    await runSql(server.url, `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
    await expect.poll(() => runSql(connectionString, 'SELECT id FROM plants')).toEqual([{ id: '1' }]);
    // It tries again, and waits again.
    await expect.poll(waiting, { timeout: 10_000 }).not.toEqual([]);
    expect(result).toBeUndefined();
    await waitForStandby(server.url, '');
    await adding;
    expect(result).toMatchObject({ outcome: 'exists' });
    await waitForStandby(server.url, 'none');
  }
  await waitForStandby(server.url, '');
});
