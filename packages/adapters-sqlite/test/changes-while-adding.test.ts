import { execFile } from 'node:child_process';
import { cp, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { openSqlite, type SqliteOptions } from '@plant-store/adapters-sqlite';
import { unobserved } from '@plant-store/store-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { plantsTable } from './plants-table.ts';
import { migratedFile, temporaryDirectory } from './temporary-files.ts';

async function open(path: string, options: Partial<SqliteOptions> = {}) {
  const store = await openSqlite({ path, timeoutMs: 20_000, ...options });
  onTestFinished(() => store.close());
  return store;
}

const RENAME = `ALTER TABLE plants RENAME TO former;
  CREATE ${plantsTable('id INTEGER PRIMARY KEY, name TEXT NOT NULL')} STRICT`;
const LACKS = /took the place of the table plants, and lacks plant 2: put the former table back/;

test('another table in the place of the table of plants is refused by the next add, and a copy is used', async () => {
  const path = await migratedFile();
  const store = await open(path);
  for (const id of [1n, 2n]) await store.plants.add({ id, name: 'Fern' });
  using other = new DatabaseSync(path);
  other.exec(`BEGIN; ${RENAME}; COMMIT`);
  await expect(store.plants.add({ id: 1n, name: 'Moss' })).rejects.toThrow(LACKS);
  await expect(store.check()).rejects.toThrow(LACKS);
  other.exec('INSERT INTO plants (id, name) SELECT id, name FROM former');
  expect(await store.plants.add({ id: 1n, name: 'Moss' })).toMatchObject({ outcome: 'exists' });
  other.exec('DROP TABLE former; VACUUM');
  expect(await store.plants.add({ id: 3n, name: 'Moss' })).toEqual({ outcome: 'added' });
});

test('an empty table is noticed that took the place of a table whose plants earlier stores have added', async () => {
  const path = await migratedFile();
  using other = new DatabaseSync(path);
  other.exec("INSERT INTO plants (id, name) VALUES (2, 'Fern')");
  const store = await open(path);
  other.exec(`BEGIN; ${RENAME}; COMMIT`);
  await expect(store.plants.add({ id: 2n, name: 'Moss' })).rejects.toThrow(LACKS);
});

test.skipIf(process.platform !== 'linux')(
  'a file at the limit of the process is told from a disk that failed',
  async () => {
    const program = join(import.meta.dirname, 'processes/add-until-it-fails.ts');
    const command = `ulimit -f 2000 && exec "$0" --conditions=development "$@"`;
    const args = ['-c', command, process.execPath, program, await migratedFile()];
    const { stdout } = await promisify(execFile)('bash', args);
    expect(stdout).toMatch(/as large as the process's limit allows: raise it \(ulimit -f\)$/);
  },
);

test('the size of the log is observed, and a reader that keeps it large for a minute is a warning', async () => {
  const path = await migratedFile();
  const sizes: number[] = [];
  const onWarning = vi.fn();
  const observer = { ...unobserved, logSize: (bytes: number) => void sizes.push(bytes) };
  const store = await open(path, { observer, onWarning });
  using reader = new DatabaseSync(path);
  reader.exec('BEGIN; SELECT count(*) FROM plants');
  const add = (id: number) => store.plants.add({ id: BigInt(id), name: 'x'.repeat(1_000_000) });
  for (let id = 0; id < 70; id += 1) await add(id);
  const { now } = performance;
  const later = (ms: number) => vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + ms);
  onTestFinished(() => void vi.restoreAllMocks());
  for (const [id, ms] of [2_000, 40_000, 65_000, 70_000].entries()) {
    later(ms);
    const { length } = sizes;
    await add(100 + id);
    await expect.poll(() => sizes.length).toBeGreaterThan(length);
  }
  expect(sizes.at(-1)).toBeGreaterThan(64 * 2 ** 20);
  expect(onWarning.mock.calls).toEqual([
    [expect.stringMatching(/-wal has \d\d MiB: a reader keeps it from being emptied/)],
  ]);
});

test('a log that is older than its file is a warning at the start', async () => {
  const path = await migratedFile();
  const store = await open(path);
  await store.plants.add({ id: 1n, name: 'Fern' });
  const restored = join(await temporaryDirectory(), 'plants.db');
  for (const file of ['', '-wal']) await cp(path + file, restored + file);
  const onWarning = vi.fn();
  const anHourAgo = Date.now() / 1_000 - 3_600;
  await utimes(`${restored}-wal`, anHourAgo, anHourAgo);
  await open(restored, { onWarning });
  expect(onWarning.mock.calls).toEqual([[expect.stringMatching(/-wal is older than .* if that is a restored backup/)]]);
  const another = vi.fn();
  await open(path, { onWarning: another });
  expect(another).not.toHaveBeenCalled();
});
