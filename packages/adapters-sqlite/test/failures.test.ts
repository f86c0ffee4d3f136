import fs from 'node:fs';
import { appendFile, chmod, copyFile, mkdir, open as openFile, rename, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrateSqlite, openSqlite } from '@plant-store/adapters-sqlite';
import { type NewPlant, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { plants } from '@plant-store/sql-store';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../src/driver/database.ts';
import { batchOf, statementsOf } from '../src/statements.ts';
import { engineOn } from '../src/writer/engine.ts';
import { migrationStatus } from '../src/writer/migrations.ts';
import { migratedFile } from './migrated-file.ts';
import { asOrdinaryUser } from './ordinary-user.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const fern = { id: 1n, name: 'Fern' };

/** The start of its writer may take a busy machine seconds, and opening would resolve before. */
const open = (path: string) => openSqlite({ path, timeoutMs: 20_000 });

async function openedStore(path: string) {
  const store = await open(path);
  onTestFinished(() => store.close());
  return store;
}

/** Expects StoreUnavailable, and returns the message for the operator. */
async function unavailability(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(StoreUnavailable);
  return (error as StoreUnavailable).message;
}

describe('a file that cannot be opened', () => {
  test('is a directory', async () => {
    const path = await temporaryDirectory();
    expect(await unavailability(open(path))).toMatch(/check that the path leads to a file/);
  });

  test('lies below a directory that may not be written to: waiting does not help', async () => {
    const directory = join(await temporaryDirectory(), 'closed');
    await mkdir(directory, { mode: 0o555 });
    await asOrdinaryUser(async () => {
      for (const [path, message] of [
        ['plants.sqlite', /may read and write/],
        ['new/plants.sqlite', /create it/],
      ] as const) {
        const opening = open(join(directory, path));
        expect(await unavailability(opening)).toMatch(message);
        await expect(opening).rejects.toThrow(StoreMisconfigured);
      }
    });
  });

  test('has a log that cannot be synced: acknowledged plants might be lost', async () => {
    const path = await migratedFile();
    await chmod(path, 0o666);
    // Not empty: SQLite gives an empty log the permissions of its file.
    await writeFile(`${path}-wal`, 'not a log', { mode: 0o444 });
    await inClosedDirectory(path, async () => {
      const opening = open(path);
      expect(await unavailability(opening)).toMatch(/-wal cannot be synced/);
      await expect(opening).rejects.toMatchObject({ cause: { code: 'EACCES' } });
    });
  });

  test('cannot have a write-ahead log, as on some network file systems', async () => {
    const path = await migratedFile();
    const refused = { get: () => ({ journal_mode: 'delete' }) } as unknown as StatementSync;
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare').mockReturnValueOnce(refused);
    onTestFinished(() => prepare.mockRestore());
    expect(await unavailability(openDatabase({ path, timeoutMs: 1_000 }))).toBe(
      `${path}: SQLite cannot keep a write-ahead log there (journal mode delete); set a path on a local disk`,
    );
  });

  test('is of another kind', async () => {
    const path = join(await temporaryDirectory(), 'plants.csv');
    await writeFile(path, 'id,name,tag\n'.repeat(1_000));
    expect(await unavailability(open(path))).toMatch(/another kind: set another path/);
  });
});

/** Runs as a user who may use the existing files, including the index of the log, but may neither create nor delete any. */
async function inClosedDirectory(path: string, use: () => Promise<void>): Promise<void> {
  await writeFile(`${path}-shm`, '');
  await chmod(`${path}-shm`, 0o666);
  await chmod(dirname(path), 0o555);
  try {
    await asOrdinaryUser(use);
  } finally {
    await chmod(dirname(path), 0o755);
  }
}

describe('a file that fails while it is in use', () => {
  test('is not migrated: the store works as soon as it is', async () => {
    const path = join(await temporaryDirectory(), 'plants.sqlite');
    const store = await openedStore(path);
    expect(await unavailability(store.plants.add(fern))).toMatch(/run the migrations/);
    expect(await unavailability(store.check())).toMatch(/run the migrations/);
    await migrateSqlite({ path });
    await store.check();
    expect(await store.plants.add(fern)).toEqual({ outcome: 'added' });
  });

  test('is read-only', async () => {
    const path = await migratedFile();
    await chmod(path, 0o444);
    // SQLite gives an empty log the file's permissions. This one can be written to: the file itself is what is left.
    await writeFile(`${path}-wal`, 'not a log');
    await chmod(`${path}-wal`, 0o666);
    await inClosedDirectory(path, async () => {
      const store = await openSqlite({ path });
      expect(await unavailability(store.plants.add(fern))).toMatch(/let the service write to the file/);
      expect(await unavailability(store.check())).toMatch(/let the service write to the file/);
      await store.close();
    });
  });

  test('is damaged', async () => {
    const path = await migratedFile();
    const file = await openFile(path, 'r+');
    const { size } = await file.stat();
    const firstPage = 4_096;
    await file.write(Buffer.alloc(size - firstPage, 0xff), 0, size - firstPage, firstPage);
    await file.close();
    const store = await openedStore(path);
    expect(await unavailability(store.plants.add(fern))).toMatch(/is damaged.*restore a backup/);
  });

  test('has a log that ends in the middle of a write, as after a crash: acknowledged plants are stored', async () => {
    const path = await migratedFile();
    const store = await openedStore(path);
    await store.plants.add(fern);
    const crashed = join(await temporaryDirectory(), 'plants.sqlite');
    for (const suffix of ['', '-wal']) await copyFile(`${path}${suffix}`, `${crashed}${suffix}`);
    await appendFile(`${crashed}-wal`, Buffer.alloc(1_000, 0xff));

    const reopened = await openedStore(crashed);
    expect(await reopened.plants.add(fern)).toEqual({ outcome: 'exists', plant: { name: 'Fern' } });
    expect(await reopened.plants.add({ id: 2n, name: 'Moss' })).toEqual({ outcome: 'added' });
  });

  test('is full: adds and readiness say so, nothing is lost, and both work again once there is free space', async () => {
    const file = await openDatabase({ path: await migratedFile(), timeoutMs: 1_000 });
    const engine = engineOn(file, statementsOf(plants));
    onTestFinished(() => engine.close());
    const insert = (plant: NewPlant) => engine.insert(batchOf(plants, [plant]), 1_000);
    await insert(fern);
    file.database.exec('PRAGMA max_page_count = 5');

    const large = { id: 2n, name: 'x'.repeat(100_000) };
    expect(await unavailability(insert(large))).toMatch(/the disk is full: free space/);
    expect(await unavailability(engine.probe(1_000))).toMatch(/the disk is full: free space/);
    expect(await insert(fern)).toEqual([{ at: 0, row: { name: 'Fern', tag: null } }]);

    file.database.exec('PRAGMA max_page_count = 1000000');
    await engine.probe(1_000);
    expect(await insert(large)).toEqual([]);
  });

  test.each([
    ['deleted', (path: string) => rm(path)],
    ['moved', (path: string) => rename(path, `${path}.old`)],
    ['replaced', async (path: string) => rename(await migratedFile(), path)],
    ['without its log', (path: string) => rm(`${path}-wal`)],
    ['without the index of its log', (path: string) => rm(`${path}-shm`)],
  ])('is %s: adds fail, since nothing will open the file they would go to', async (_, happen) => {
    const path = await migratedFile();
    const store = await openedStore(path);
    await happen(path);
    expect(await unavailability(store.plants.add(fern))).toMatch(/moved, deleted or replaced/);
    expect(await unavailability(store.check())).toMatch(/moved, deleted or replaced/);
  });

  test('is on a disk in whose place another one is mounted, with a file that has the same number', async () => {
    const path = await migratedFile();
    const { database, assertInPlace } = await openDatabase({ path, timeoutMs: 1_000 });
    onTestFinished(() => database.close());
    assertInPlace();
    const now = fs.statSync(path, { bigint: true });
    const statSync = vi.spyOn(fs, 'statSync').mockReturnValueOnce({ ...now, dev: now.dev + 1n } as never);
    syncBuiltinESMExports();
    onTestFinished(() => {
      statSync.mockRestore();
      syncBuiltinESMExports();
    });
    expect(assertInPlace).toThrow(/moved, deleted or replaced/);
  });

  test('ignores a plant: that is not an outage, and the plant is not acknowledged', async () => {
    const path = await migratedFile();
    using database = new DatabaseSync(path);
    database.exec('CREATE TRIGGER ignore BEFORE INSERT ON plants WHEN new.id = 1 BEGIN SELECT RAISE(IGNORE); END');
    const store = await openedStore(path);
    const other = store.plants.add({ id: 2n, name: 'Moss' });
    const adding = store.plants.add(fern);
    await expect(adding).rejects.toThrow('the file ignores the plant: see the triggers of the table plants');
    await expect(adding).rejects.not.toBeInstanceOf(StoreUnavailable);
    expect(await other).toEqual({ outcome: 'added' });
    await store.check();
  });
});

describe('a file that another connection has locked', () => {
  test('is waited for by every add that came in time, and adds are stored as soon as it is free', async () => {
    const path = await migratedFile();
    const store = await openSqlite({ path, timeoutMs: 500, maxWaitMs: 500 });
    onTestFinished(() => store.close());
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const failing = unavailability(store.plants.add(fern));
    await sleep(200);
    const behind = store.plants.add({ id: 2n, name: 'Moss' });
    // The first write is given up here. No circuit opens, which would reject the add behind it.
    await failing;
    await sleep(100);
    other.close();
    expect(await behind).toEqual({ outcome: 'added' });
    expect(await store.plants.add(fern)).toEqual({ outcome: 'added' });
  });

  test('is waited for when its migrations are asked for', async () => {
    const path = await migratedFile();
    const other = lockedExclusively(path);
    const status = migrationStatus({ path, timeoutMs: 10_000 });
    await sleep(50);
    other.close();
    expect(await status).not.toEqual([]);
  });

  test('for longer than the timeout, when opening: adds say so, and succeed as soon as it is unlocked', async () => {
    const path = await migratedFile();
    const other = lockedExclusively(path);
    expect(await unavailability(migrateSqlite({ path, timeoutMs: 100 }))).toMatch(/keeps the file locked/);
    const store = await openSqlite({ path, timeoutMs: 100 });
    onTestFinished(() => store.close());
    // On a busy machine the start of the writer takes longer than the timeout.
    const says = async () => expect(await unavailability(store.plants.add(fern))).toMatch(/keeps the file locked/);
    await vi.waitFor(says, { timeout: 10_000 });
    other.close();
    await vi.waitFor(() => store.check(), { timeout: 10_000 });
  });
});

function lockedExclusively(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  return database;
}
