import { execFileSync } from 'node:child_process';
import fs, { closeSync, constants, openSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { openTarget } from '../src/files/index.ts';

const options = { force: false, storeFiles: [] };

async function scratchDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** An export that has written a line and waits for the other. */
async function halfWritten(signal = new AbortController().signal) {
  const directory = await scratchDirectory();
  const file = join(directory, 'out.ndjson');
  const [written, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  async function* records() {
    yield 'one\n';
    written.resolve();
    await rest.promise;
    yield 'two\n';
  }
  const target = await openTarget(file, options);
  const done = target.write(records(), signal).finally(() => target[Symbol.asyncDispose]());
  done.catch(() => {});
  await written.promise;
  return { directory, file, done, writeRest: rest.resolve };
}

test('a file appears once it is complete, and only its owner can read it', async () => {
  const { directory, file, done, writeRest } = await halfWritten();
  expect(await readdir(directory)).toEqual([expect.stringMatching(/^out\.ndjson\.[0-9a-f]{8}\.incomplete$/)]);
  writeRest();
  await done;
  expect(await readdir(directory)).toEqual(['out.ndjson']);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('a file that appears in the meantime is left alone', async () => {
  const { directory, file, done, writeRest } = await halfWritten();
  await writeFile(file, 'another');
  writeRest();
  await expect(done).rejects.toThrow('out.ndjson exists: pass --force to replace it');
  expect(await readFile(file, 'utf8')).toBe('another');
  expect(await readdir(directory)).toEqual(['out.ndjson']);
});

test('of two exports to one file at the same time, neither takes the draft of the other', async () => {
  const { directory, file, done, writeRest } = await halfWritten();
  await using other = await openTarget(file, options);
  await other.write(['another\n']);
  writeRest();
  await expect(done).rejects.toThrow('exists');
  expect(await readFile(file, 'utf8')).toBe('another\n');
  await other[Symbol.asyncDispose]();
  expect(await readdir(directory)).toEqual(['out.ndjson']);
});

test('an interrupted export leaves nothing behind', async () => {
  const interruption = new AbortController();
  const { directory, done, writeRest } = await halfWritten(interruption.signal);
  interruption.abort();
  writeRest();
  await expect(done).rejects.toThrow('abort');
  expect(await readdir(directory)).toEqual([]);
});

/** A directory with one of everything. */
async function zoo() {
  const directory = await scratchDirectory();
  const path = (name: string) => (name.startsWith('/') ? name : join(directory, name));
  await writeFile(path('file'), 'old', { mode: 0o644 });
  await symlink('file', path('link'));
  await symlink('nowhere', path('dangling'));
  await mkdir(path('directory'));
  execFileSync('mkfifo', [path('pipe')]);
  await symlink('pipe', path('link-to-pipe'));
  return { directory, path };
}

test.each([
  ['file', false, 'exists: pass --force'],
  ['link', false, 'exists: pass --force'],
  ['dangling', false, 'exists: pass --force'],
  ['pipe', false, 'is not a regular file: pass another path, or --force'],
  ['link-to-pipe', false, 'is not a regular file'],
  ['/dev/ptmx', false, 'is not a regular file'],
  ['directory', true, 'is a directory'],
  ['nowhere/file', true, '(ENOENT)'],
  // Nobody reads it.
  ['pipe', true, '(ENXIO)'],
])('%s is refused, and stays as it is; --force: %s', async (name, force, message) => {
  const { directory, path } = await zoo();
  const before = await readdir(directory);
  await expect(openTarget(path(name), { ...options, force })).rejects.toThrow(message);
  expect(await readdir(directory)).toEqual(before);
  expect(await readFile(path('file'), 'utf8')).toBe('old');
});

test.each(['file', 'link', 'dangling'])('%s is replaced with --force, and not what it leads to', async (name) => {
  const { path } = await zoo();
  await using target = await openTarget(path(name), { ...options, force: true });
  await target.write(['new']);
  expect(await readFile(path(name), 'utf8')).toBe('new');
  expect((await stat(path(name))).mode & 0o777).toBe(0o600);
  if (name !== 'file') expect(await readFile(path('file'), 'utf8')).toBe('old');
  await expect(stat(path('nowhere'))).rejects.toThrow('ENOENT');
});

test('a pipe is written to with --force, at the pace of its reader, who can be given up', async () => {
  const { path } = await zoo();
  const reader = openSync(path('pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(reader));
  const open = () => openTarget(path('pipe'), { ...options, force: true });
  // More than a pipe holds.
  const text = 'x'.repeat(1_000_000);
  await using target = await open();
  let isWritten = false;
  const written = target.write([text]).finally(() => {
    isWritten = true;
  });
  await sleep(50);
  for (let read = 0; read < text.length && !isWritten; await setImmediate())
    // There may be nothing to read.
    read += await promisify(fs.read)(reader, Buffer.alloc(text.length), 0, text.length, null).then(
      ({ bytesRead }) => bytesRead,
      () => 0,
    );
  await written;

  const interruption = new AbortController();
  await using stalled = await open();
  const writing = stalled.write([text], interruption.signal);
  interruption.abort();
  await expect(writing).rejects.toThrow('abort');
});

test.each([
  ['/dev/null', false],
  ['/dev/ptmx', true],
])('%s is a terminal: %s', async (path, isTerminal) => {
  await using target = await openTarget(path, { ...options, force: true });
  expect(target.isTerminal).toBe(isTerminal);
});

test('a descriptor that leads to a file is appended to, and its path stays', async () => {
  const { path } = await zoo();
  const fd = openSync(path('file'), 'r+');
  onTestFinished(() => closeSync(fd));
  await using target = await openTarget(`/dev/fd/${fd}`, options);
  await target.write([' and new']);
  expect(await readFile(path('file'), 'utf8')).toBe('old and new');
});
