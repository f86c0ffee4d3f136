import { chmod, link, mkdir, open as openFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrateSqlite, openSqlite } from '@plant-store/adapters-sqlite';
import { type NewPlant, type PlantStore, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { translateError } from '../src/errors.ts';
import { migrationStatus } from '../src/migrator.ts';
import { statementsOn } from '../src/statements.ts';
import { asOrdinaryUser } from './ordinary-user.ts';
import { migratedFile, temporaryDirectory } from './temporary-files.ts';

const fern = { id: 1n, name: 'Fern' };
const MOVED = /was moved, deleted or replaced/;

/** The start of its writer may take a busy machine seconds, and opening would resolve before. */
async function open(path: string, timeoutMs = 20_000): Promise<PlantStore> {
  const store = await openSqlite({ path, timeoutMs });
  onTestFinished(() => store.close());
  return store;
}

async function expectUnavailable(call: Promise<unknown>, message: RegExp): Promise<void> {
  await expect(call).rejects.toThrow(StoreUnavailable);
  await expect(call).rejects.toThrow(message);
}

/** An add may be stored nevertheless: neither returns one, and both say why. */
async function expectOutage(store: PlantStore, message: RegExp): Promise<void> {
  await expectUnavailable(store.plants.add(fern), message);
  await expectUnavailable(store.check(), message);
}

describe('a file that cannot be opened', () => {
  test.each([
    ['plants.sqlite', /let the service write to the file and its directory/],
    ['new/plants.sqlite', /let the service write there/],
  ])('lies in a directory that may not be written to, %s: waiting does not help', async (name, message) => {
    const directory = join(await temporaryDirectory(), 'closed');
    await mkdir(directory, { mode: 0o555 });
    await asOrdinaryUser(async () => {
      const opening = open(join(directory, name));
      await expectUnavailable(opening, message);
      await expect(opening).rejects.toThrow(StoreMisconfigured);
    });
  });

  test.each([
    [
      'is of another kind',
      (path: string) => writeFile(path, 'Fern, Moss and Ivy'.repeat(99)),
      '',
      /code 26\); the path/,
    ],
    ['is damaged', damage, '', /code 11\); the file is damaged/],
    ['lies beneath a file', async () => {}, '/plants.sqlite', /EEXIST.*; let the service write there/],
  ])('%s', async (_, happen, end, message) => {
    const path = await migratedFile();
    await happen(path);
    const opening = open(`${path}${end}`);
    await expectUnavailable(opening, message);
    await expect(opening).rejects.toThrow(StoreMisconfigured);
  });

  test('has a log that cannot be synced: acknowledged plants might be lost', async () => {
    const path = await restricted(0o666, 0o444);
    await asOrdinaryUser(() => expectUnavailable(open(path), /EACCES: permission denied, open '.*-wal'/));
  });

  test('cannot have a write-ahead log, as on some network file systems', async () => {
    const path = await migratedFile();
    const refused = { get: () => ({ journal_mode: 'delete' }) } as unknown as StatementSync;
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare').mockReturnValueOnce(refused);
    onTestFinished(() => prepare.mockRestore());
    await expectUnavailable(openDatabase(path, 1_000), /cannot keep a write-ahead log there \(journal mode delete\)/);
  });
});

/** Overwrites the header of the schema's table. */
async function damage(path: string): Promise<void> {
  await using file = await openFile(path, 'r+');
  await file.write(Buffer.alloc(100, 0xff), 0, 100, 100);
}

/** A file with permissions, and a log with others, in a directory in which an ordinary user may make no file. */
async function restricted(fileMode: number, logMode: number): Promise<string> {
  const path = await migratedFile();
  // Not empty: SQLite gives an empty log the permissions of its file.
  for (const suffix of ['-wal', '-shm']) await writeFile(`${path}${suffix}`, suffix === '-wal' ? 'not a log' : '');
  const modes = [
    [path, fileMode],
    [`${path}-wal`, logMode],
    [`${path}-shm`, 0o666],
    [dirname(path), 0o555],
  ] as const;
  for (const [file, mode] of modes) await chmod(file, mode);
  onTestFinished(() => chmod(dirname(path), 0o755));
  return path;
}

describe('a file that fails while it is in use', () => {
  test('is not migrated: the store works as soon as it is', async () => {
    const path = join(await temporaryDirectory(), 'plants.sqlite');
    const store = await open(path);
    await expectOutage(store, /run the migrations/);
    await migrateSqlite({ path });
    await store.check();
    expect(await store.plants.add(fern)).toEqual({ outcome: 'added' });
  });

  test('is read-only', async () => {
    const path = await restricted(0o444, 0o666);
    await asOrdinaryUser(async () => {
      const store = await openSqlite({ path, timeoutMs: 20_000 });
      await expectOutage(store, /let the service write to the file/);
      await store.close();
    });
  });

  test('is full: adds and readiness say so, nothing is lost, and both work again once there is free space', async () => {
    const file = await openDatabase(await migratedFile(), 1_000);
    const { insert: insertAll, probe, close } = statementsOn(file);
    onTestFinished(close);
    const insert = (plant: NewPlant) => insertAll([plant], Infinity);
    const large = { id: 2n, name: 'x'.repeat(100_000) };
    await insert(fern);

    file.database.exec('PRAGMA max_page_count = 5');
    for (const call of [insert(large), probe(Infinity)]) {
      const error = await call.catch((error: unknown) => translateError(error, ''));
      expect(error).toHaveProperty('message', expect.stringContaining('the disk is full: free space'));
    }
    expect(await insert(fern)).toEqual([{ done: { outcome: 'exists', plant: { name: 'Fern' } } }]);

    file.database.exec('PRAGMA max_page_count = 1000000');
    await probe(Infinity);
    expect(await insert(large)).toEqual([{ done: { outcome: 'added' } }]);
  });

  test.each([
    ['deleted', (path: string) => rm(path)],
    ['moved', (path: string) => rename(path, `${path}.old`)],
    ['replaced', async (path: string) => rename(await migratedFile(), path)],
    ['without its log', (path: string) => rm(`${path}-wal`)],
    ['without the index of its log', (path: string) => rm(`${path}-shm`)],
    ['given another name', (path: string) => link(path, `${path}.other`), /has 2 names \(hard links\)/],
  ])('is %s: adds fail, since nothing will open the file they would go to', async (_, happen, message = MOVED) => {
    const path = await migratedFile();
    const store = await open(path);
    await happen(path);
    await expectOutage(store, message);
  });
});

describe('a file that another connection has locked', () => {
  test('is waited for by every add that came in time, and adds are stored as soon as it is free', async () => {
    const path = await migratedFile();
    const store = await open(path, 3_000);
    // On a busy machine the start of the writer takes longer than the timeout.
    await vi.waitFor(() => store.check(), { timeout: 20_000 });
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const failing = expectUnavailable(store.plants.add(fern), /./);
    await sleep(2_500);
    const behind = expect(store.plants.add({ id: 2n, name: 'Moss' })).resolves.toEqual({ outcome: 'added' });
    // The first write is given up here. No circuit opens, which would reject the add behind it.
    await failing;
    other.close();
    await behind;
  });

  test('is waited for when its migrations are asked for', async () => {
    const path = await migratedFile();
    const other = lockedExclusively(path);
    const status = migrationStatus(path, 20_000);
    await sleep(50);
    other.close();
    expect(await status).not.toEqual([]);
  });

  test('for longer than the timeout, when opening: adds say so, and succeed as soon as it is unlocked', async () => {
    const path = await migratedFile();
    const other = lockedExclusively(path);
    await expectUnavailable(migrateSqlite({ path, timeoutMs: 100 }), /keeps the file locked/);
    const store = await open(path, 100);
    // On a busy machine the start of the writer takes longer than the timeout.
    const says = () => expectUnavailable(store.plants.add(fern), /keeps the file locked/);
    await vi.waitFor(says, { timeout: 20_000 });
    other.close();
    await vi.waitFor(() => store.check(), { timeout: 20_000 });
  });
});

function lockedExclusively(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  // What has read before has the index of its log in a file, which readers look for.
  database.exec('SELECT count(*) FROM plants; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  return database;
}
