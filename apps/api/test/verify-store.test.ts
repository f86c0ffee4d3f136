import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { plantRepositoryContract } from '@plant-store/domain/contract';
import { type DedicatedServer, freshDatabase, runSql, startDedicatedServer } from '@plant-store/testing-postgres';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { throughPooler } from './pooler.ts';
import type { RunningProcess } from './running-process.ts';
import { plantStore, scratchDirectory } from './running-service.ts';

const count = plantRepositoryContract.clauses.length;
/** A file has no server that could crash. */
const everyPromiseKeptButOfServers = {
  code: 0,
  report: {
    contract: 'PlantRepository',
    results: expect.any(Array),
    kept: count - 1,
    notPromised: 1,
    notChecked: 0,
    broken: 0,
  },
};

/** For a busy machine. */
const patiently = { timeout: 20_000 };

async function verifyStore(url: string) {
  const run = plantStore(['verify-store', '--url', url, '--json']);
  const code = await run.ended;
  return { code, report: JSON.parse(run.output()) };
}

test('plant-store verify-store names each promise of a store in memory, and those that it does not make', async () => {
  const run = plantStore(['verify-store'], { DATABASE_URL: 'memory:' });
  expect(await run.ended).toBe(0);
  const lines = run.output().split('\n');
  expect(lines).toHaveLength(count + 2);
  expect(lines[0]).toBe('✓ PR-1   an id is kept exactly, over the whole int64 range');
  expect(run.output()).toMatch(/^– PR-11 {2}.* \(not promised\)$/m);
  expect(run.output()).toMatch(/^10 kept, 7 not promised, 1 not checked, 0 broken, in \d+\.\d s\n$/m);
});

describe.concurrent('plant-store verify-store on SQLite', { timeout: 60_000 }, () => {
  test('finds every promise kept, and leaves nothing behind', async ({ onTestFinished }) => {
    const directory = await scratchDirectory(onTestFinished);
    expect(await verifyStore(`sqlite:${join(directory, 'plants.db')}`)).toEqual(everyPromiseKeptButOfServers);
    expect(await readdir(directory)).toEqual([]);
  });

  test.for<[NodeJS.Signals, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('leaves nothing behind when %s ends it', async ([signal, code], { expect, onTestFinished }) => {
    const directory = await scratchDirectory(onTestFinished);
    const run = await startedOutage(`sqlite:${join(directory, 'plants.db')}`, onTestFinished);
    await expect.poll(() => readdir(directory), patiently).toHaveLength(1);
    run.process.kill(signal);
    expect(await run.ended).toBe(code);
    expect(await readdir(directory)).toEqual([]);
    expect(run.output()).not.toContain('✗');
  });
});

describe('plant-store verify-store on PostgreSQL', { timeout: 60_000 }, () => {
  let server: DedicatedServer;
  let given: string;
  beforeAll(async () => {
    server = await startDedicatedServer();
    given = await freshDatabase(server.url);
    await runSql(given, 'CREATE TABLE plants (id int); INSERT INTO plants VALUES (7)');
  });
  afterAll(() => server.stop());

  const databases = async () => {
    const rows = await runSql(given, "SELECT datname FROM pg_database WHERE datname LIKE 'plant_store_verify_%'");
    return rows.length;
  };
  const schemas = async () => {
    const rows = await runSql(given, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'plant_store_verify_%'");
    return rows.length;
  };
  const expectUntouched = async () => {
    expect([await databases(), await schemas()]).toEqual([0, 0]);
    expect(await runSql(given, 'SELECT * FROM plants')).toEqual([{ id: 7 }]);
  };
  /** Every superuser, and the owner of the database, may take on this role, which may not create databases. */
  const asOwner = () => `${given}?options=${encodeURIComponent('-c role=pg_database_owner')}`;
  const mayCreateSchemas = (change: string) =>
    runSql(given, `DO $$ BEGIN EXECUTE format('${change}', current_database()); END $$`);

  test('works in databases of its own, and leaves nothing behind', async () => {
    const run = await startedOutage(given, onTestFinished, ofPlaces);
    await expect.poll(async () => [await databases(), await schemas()], patiently).toEqual([1, 0]);
    expect(await run.ended).toBe(0);
    expect(run.output()).toContain('5 kept, 0 not promised, 0 not checked, 0 broken');
    await expectUntouched();
  });

  test('works in schemas of its own where the user may not create databases', async () => {
    await mayCreateSchemas('GRANT CREATE ON DATABASE %I TO pg_database_owner');
    onTestFinished(async () => void (await mayCreateSchemas('REVOKE CREATE ON DATABASE %I FROM pg_database_owner')));
    const run = await startedOutage(asOwner(), onTestFinished, ofPlaces);
    await expect.poll(async () => [await databases(), await schemas()], patiently).toEqual([0, 1]);
    expect(await run.ended).toBe(0);
    expect(run.output()).toContain('5 kept, 0 not promised, 0 not checked, 0 broken');
    await expectUntouched();
  });

  test('says what it needs where the user may create neither', async () => {
    const run = plantStore(['verify-store'], { DATABASE_URL: asOwner() });
    expect(await run.ended).toBe(2);
    expect(run.output()).toMatch(/^plant-store: .*CREATEDB.*GRANT CREATE ON DATABASE.*\n$/);
    await expectUntouched();
  });

  test.each([
    ['refuses', 'no_such_setting_=', 'is refused'],
    ['drops', 'application_name=', 'has no effect there'],
  ])('keeps out of the given schema where a pooler %s start-up options', async (_, instead, says) => {
    await mayCreateSchemas('GRANT CREATE ON DATABASE %I TO pg_database_owner');
    onTestFinished(async () => void (await mayCreateSchemas('REVOKE CREATE ON DATABASE %I FROM pg_database_owner')));
    const run = plantStore(['verify-store'], { DATABASE_URL: await throughPooler(asOwner(), instead) });
    expect(await run.ended).toBe(2);
    expect(run.output()).toContain(says);
    expect(run.output()).toMatch(/^plant-store: .*give the URL of the server itself.*\n$/);
    await expectUntouched();
  });

  test('leaves nothing behind when Ctrl-C ends it', async () => {
    const run = await startedOutage(given, onTestFinished);
    await expect.poll(databases, patiently).toBe(1);
    run.process.kill('SIGINT');
    expect(await run.ended).toBe(130);
    await expectUntouched();
  });
});

test.each<[string, string[], string]>([
  ['there is no URL', [], 'DATABASE_URL'],
  ['the URL is none', ['--url', 'garden'], 'expected postgres://'],
  ['there is no such engine', ['--url', 'mysql://root:sesame@localhost/plants'], 'expected postgres://'],
  ['nobody answers', ['--url', 'postgres://root:sesame@127.0.0.1:9/plants'], 'ECONNREFUSED'],
  [
    'there is no such directory',
    ['--url', 'sqlite:/proc/plants.db'],
    'no directory can be made beside /proc/plants.db',
  ],
  ['there is no such clause', ['--url', 'memory:', '--only', 'PR-6,PR-99'], '"PR-99"'],
  ['there is no such option', ['--url', 'memory:', '--colour'], '--colour'],
])('plant-store verify-store ends with 2 and a single line when %s', async (_, args, says) => {
  const run = plantStore(['verify-store', ...args]);
  expect(await run.ended).toBe(2);
  expect(run.output()).toContain(says);
  expect(run.output()).toMatch(/^.+\n$/);
  expect(run.output()).not.toContain('sesame');
});

test('plant-store verify-store --only runs these clauses, in the order of the contract', async () => {
  const run = plantStore(['verify-store', '--url', 'memory:', '--only', 'PR-6,PR-3']);
  expect(await run.ended).toBe(0);
  expect(run.output()).toMatch(/^✓ PR-3 .*\n✓ PR-6 .*\n2 kept, 0 not promised, 0 not checked, 0 broken, in .* s\n$/);
});

/** Where the promises depend on the place: on two stores, a constraint, a process that is killed. README.md has them all. */
const ofPlaces = ['PR-7', 'PR-16', 'PR-11'];

/** Has come to the outage of PR-12, which takes some seconds: its place is there all the while. */
async function startedOutage(
  url: string,
  onTestFinished: (kill: () => void) => void,
  before: readonly string[] = [],
): Promise<RunningProcess> {
  const ids = ['PR-3', ...before];
  const run = plantStore(['verify-store', '--only', [...ids, 'PR-12'].join()], { DATABASE_URL: url });
  onTestFinished(() => void run.process.kill('SIGKILL'));
  await run.printed(new RegExp(`✓ ${ids.at(-1)} .*\n`));
  return run;
}
