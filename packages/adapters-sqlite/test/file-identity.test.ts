import { execFile, execFileSync } from 'node:child_process';
import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { migrateSqlite, openSqlite, sqliteExport, sqliteMigrationStatus } from '@plant-store/adapters-sqlite';
import { StoreMisconfigured } from '@plant-store/domain';
import { expect, test } from 'vitest';
import { findFile } from '../src/file-identity.ts';
import { migrate } from '../src/migrator.ts';
import { migratedFile, temporaryDirectory } from './temporary-files.ts';

const newPath = async () => join(await temporaryDirectory(), 'plants.sqlite');
const pipe = (path: string) => void execFileSync('mkfifo', [path]);

test.each<[what: string, place: () => Promise<string>, make: (path: string) => unknown, fault: RegExp]>([
  ['a directory', newPath, (path) => mkdir(path), /sqlite is not a regular file \(Directory\): set another path/],
  ['a named pipe', newPath, pipe, /sqlite is not a regular file \(FIFO\): set another path/],
  ['a device', newPath, (path) => symlink('/dev/null', path), /\/dev\/null is not a regular file \(device\)/],
  ['a file with two hard links', migratedFile, (path) => link(path, `${path}.2`), /sqlite has 2 hard links/],
  ['a linked log', migratedFile, (path) => symlink(path, `${path}-wal`), /-wal is not a regular file \(SymbolicLink\)/],
  ['an index that is a pipe', migratedFile, (path) => pipe(`${path}-shm`), /-shm is not a regular file \(FIFO\)/],
])('%s is a misconfiguration', async (_, place, make, fault) => {
  const path = await place();
  await make(path);
  expect(() => findFile(path)).toThrow(fault);
});

test.each<[what: string, call: (path: string) => Promise<unknown>]>([
  ['the status', (path) => sqliteMigrationStatus({ path })],
  ['a migration', (path) => migrateSqlite({ path })],
  ['a store', (path) => openSqlite({ path, timeoutMs: 20_000 })],
  ['an export', (path) => sqliteExport({ path }).readAll()[Symbol.asyncIterator]().next()],
])('%s checks the path before it opens the file', async (_, call) => {
  const path = await newPath();
  pipe(path);
  await expect(call(path)).rejects.toThrow(StoreMisconfigured);
});

const run = promisify(execFile);
const mountsFail = await run('unshare', ['-rm', 'true']).then(() => undefined, String);
const withoutLog =
  /StoreMisconfigured: .*\/my plants\.sqlite(-wal)? is mounted without its log: copy .*-wal, .* and mount that directory\n/;

test.for<[what: string, target: (file: string) => string, outcome: RegExp]>([
  ['the file alone', (file) => file, withoutLog],
  ['its log alone', (file) => `${file}-wal`, withoutLog],
  ['its directory', dirname, /^$/],
])('a path is a link to a file, and a container mounts %s', async ([, target, outcome], { skip }) => {
  skip(mountsFail !== undefined, `nothing can be mounted here: ${mountsFail}`);
  const [file, path] = [join(await temporaryDirectory(), 'my plants.sqlite'), await newPath()];
  await migrate(file, 10_000);
  await Promise.all([writeFile(`${file}-wal`, ''), symlink(file, path)]);
  // Mounted over itself, so that the device number does not change, as with a container on the disk of its host.
  const mounted = ['-rm', 'sh', '-c', 'mount --bind "$0" "$0" && exec "$@"', target(file)];
  const program = `(await import('${import.meta.resolve('../src/file-identity.ts')}')).findFile('${path}')`;
  const node = [process.execPath, '--conditions=development', '--input-type=module', '--eval', program];
  expect(await run('unshare', [...mounted, ...node]).then(() => '', String)).toMatch(outcome);
});
