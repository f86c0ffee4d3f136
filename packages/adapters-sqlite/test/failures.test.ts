import { chmod, link, open as openFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { openSqlite } from '@plant-store/adapters-sqlite';
import { type PlantStore, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { asOrdinaryUser } from './ordinary-user.ts';
import { migratedFile, temporaryDirectory } from './temporary-files.ts';

const fern = { id: 1n, name: 'Fern' };
const MOVED = /was moved, deleted or replaced/;

/** Opens with a long timeout, because a busy machine takes seconds to start the writer. */
async function open(path: string, timeoutMs = 20_000): Promise<PlantStore> {
  const store = await openSqlite({ path, timeoutMs });
  onTestFinished(() => store.close());
  return store;
}

async function expectUnavailable(call: Promise<unknown>, message: RegExp): Promise<void> {
  await expect(call).rejects.toThrow(StoreUnavailable);
  await expect(call).rejects.toThrow(message);
}

test.each([
  ['is of another kind', (path: string) => writeFile(path, 'Fern, Moss, Ivy'.repeat(99)), /code 26\); the path/],
  ['is damaged', damage, /code 11\); the file is damaged/],
])('opening a file that %s fails as a misconfiguration', async (_, happen, message) => {
  const path = await migratedFile();
  await happen(path);
  const opening = open(path);
  await expect(opening).rejects.toThrow(message);
  await expect(opening).rejects.toThrow(StoreMisconfigured);
});

/** Overwrites the header of the schema table. */
async function damage(path: string): Promise<void> {
  await using file = await openFile(path, 'r+');
  await file.write(Buffer.alloc(100, 0xff), 0, 100, 100);
}

test('a file whose log cannot be synced is rejected, because acknowledged plants might be lost', async () => {
  const path = await migratedFile();
  // SQLite gives an empty log the permissions of its file, so the log is not empty.
  for (const suffix of ['-wal', '-shm']) await writeFile(`${path}${suffix}`, suffix === '-wal' ? 'not a log' : '');
  await chmod(path, 0o666);
  await chmod(`${path}-wal`, 0o444);
  await chmod(`${path}-shm`, 0o666);
  await asOrdinaryUser(() => expectUnavailable(open(path), /EACCES: permission denied, open '.*-wal'/));
});

test('a file that cannot have a write-ahead log, as on some network file systems, is rejected', async () => {
  const refused = { get: () => ({ journal_mode: 'delete' }) } as unknown as StatementSync;
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare').mockReturnValueOnce(refused);
  onTestFinished(() => prepare.mockRestore());
  const opening = openDatabase(join(await temporaryDirectory(), 'plants.sqlite'), 1_000);
  await expectUnavailable(opening, /cannot keep a write-ahead log there \(journal mode delete\)/);
});

test.each([
  ['deleted', (path: string) => rm(path)],
  ['replaced', async (path: string) => rename(await migratedFile(), path)],
  ['without its log', (path: string) => rm(`${path}-wal`)],
  ['without the index of its log', (path: string) => rm(`${path}-shm`)],
  ['given a second hard link', (path: string) => link(path, `${path}.other`), /has 2 hard links/],
])(
  'a file that is %s while it is in use gets no more plants, because no process will open it',
  async (_, happen, message = MOVED) => {
    const path = await migratedFile();
    const store = await open(path);
    await happen(path);
    for (const call of [() => store.plants.add(fern), () => store.check()]) await expectUnavailable(call(), message);
  },
);
