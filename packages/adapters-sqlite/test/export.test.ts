import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openSqlite, sqliteExport } from '@plant-store/adapters-sqlite';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { expect, onTestFinished, test } from 'vitest';
import { plantsTable } from './plants-table.ts';
import { migratedFile, temporaryDirectory } from './temporary-files.ts';

const reading = (path: string) => sqliteExport({ path }).readAll()[Symbol.asyncIterator]();

/** Creates a file with a plant, which no process uses. */
async function unused(): Promise<string> {
  const path = await migratedFile();
  using database = new DatabaseSync(path);
  database.exec(`INSERT INTO plants (id, name) VALUES (1, 'Fern')`);
  return path;
}

/** Creates a file that a process uses, so that its latest plant is only in the log. */
async function inUse(): Promise<string> {
  const path = await unused();
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  database.exec(`INSERT INTO plants (id, name) VALUES (2, 'Moss')`);
  return path;
}

/** Copies a file that is in use, as a killed process leaves it. */
async function copied(...suffixes: readonly string[]): Promise<string> {
  const [used, path] = [await inUse(), join(await temporaryDirectory(), 'plants.sqlite')];
  for (const suffix of suffixes) copyFileSync(`${used}${suffix}`, `${path}${suffix}`);
  return path;
}

const left = () => copied('', '-wal', '-shm');
const withoutIndex = () => copied('', '-wal');

test.each([
  ['unused', unused, 0o666, 0o777, ['Fern']],
  ['in use', inUse, 0o666, 0o777, ['Fern', 'Moss']],
  ['left by a process that was killed', left, 0o666, 0o777, ['Fern', 'Moss']],
  ['copied with its log, but without the index', withoutIndex, 0o666, 0o777, ['Fern', 'Moss']],
  ['unused and read-only', unused, 0o444, 0o555, ['Fern']],
  ['unused in a directory that is read-only', unused, 0o666, 0o555, ['Fern']],
  // The owner of the file could not use files that the reader creates beside it.
  ['unused and read-only in a directory that is not', unused, 0o444, 0o777, ['Fern']],
  ['in use and read-only', inUse, 0o444, 0o555, ['Fern', 'Moss']],
  ['left and read-only', left, 0o444, 0o555, ['Fern', 'Moss']],
  ['copied and read-only', withoutIndex, 0o444, 0o555, ['Fern', 'Moss']],
])('an export reads a file that is %s, and changes nothing', async (_, make, fileMode, directoryMode, names) => {
  const path = await make();
  const directory = dirname(path);
  onTestFinished(() => allow(directory, 0o666, 0o777));
  allow(directory, fileMode, directoryMode);
  const before = stateOf(directory);
  expect(await namesAsOrdinaryUser(path)).toEqual(names);
  expect(stateOf(directory)).toEqual(before);
});

function allow(directory: string, fileMode: number, directoryMode: number): void {
  for (const name of readdirSync(directory)) chmodSync(join(directory, name), fileMode);
  chmodSync(directory, directoryMode);
}

/** Lists the files with their contents and times. Of an index it lists only the name, because readers change it. */
function stateOf(directory: string) {
  return readdirSync(directory).map((name) => {
    const file = join(directory, name);
    return name.endsWith('-shm')
      ? name
      : [name, readFileSync(file, 'base64'), statSync(file, { bigint: true }).mtimeNs];
  });
}

/** Exports in a process without root's privileges, because permissions do not apply to root. */
async function namesAsOrdinaryUser(path: string): Promise<unknown> {
  const script = fileURLToPath(new URL('processes/export.ts', import.meta.url));
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=development', script, path], nobody);
  return JSON.parse(stdout);
}

/** Creates a file with a journal, as a program without a log leaves it in the middle of a transaction. */
async function unfinished(): Promise<string> {
  const path = join(await temporaryDirectory(), 'plants.sqlite');
  const used = `${path}.used`;
  using database = new DatabaseSync(used);
  database.exec(`
    CREATE ${plantsTable('id INTEGER PRIMARY KEY, name TEXT NOT NULL')};
    WITH RECURSIVE ids (id) AS (VALUES (1) UNION ALL SELECT id + 1 FROM ids WHERE id < 3000)
      INSERT INTO plants (id, name) SELECT id, 'Fern' FROM ids;
    PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE plants SET name = 'Gone'`);
  for (const suffix of ['', '-journal']) copyFileSync(`${used}${suffix}`, `${path}${suffix}`);
  return path;
}

test('an unfinished transaction is rolled back, or the export fails if it may not write', async () => {
  const path = await unfinished();
  const directory = dirname(path);
  onTestFinished(() => allow(directory, 0o666, 0o777));
  allow(directory, 0o444, 0o555);
  await expect(namesAsOrdinaryUser(path)).rejects.toThrow(/readonly database \(SQLite code 776\); let/);
  allow(directory, 0o666, 0o777);
  expect(new Set((await namesAsOrdinaryUser(path)) as string[])).toEqual(new Set(['Fern']));
});

test('an export without a lock fails if the file is changed meanwhile', async () => {
  const path = await withoutIndex();
  const plants = reading(path);
  await plants.next();
  utimesSync(path, new Date(), new Date());
  await plants.next();
  await expect(plants.next()).rejects.toThrow(new StoreUnavailable(`${path} was changed while it was read: try again`));
});

test('an export does not create a missing file, and fails for a file that is not migrated', async () => {
  const path = join(await temporaryDirectory(), 'plants.sqlite');
  await expect(reading(path).next()).rejects.toThrow(new StoreMisconfigured(`no such file: ${path}`));
  expect(readdirSync(dirname(path))).toEqual([]);
  const store = await openSqlite({ path });
  await store.close();
  await expect(reading(path).next()).rejects.toThrow(/run the migrations/);
});
