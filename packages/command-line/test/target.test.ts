import fs, { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { openTarget } from '../src/files/index.ts';

afterEach(() => void vi.restoreAllMocks());

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

test('a file appears once it is complete', async () => {
  const { directory, done, writeRest } = await halfWritten();
  expect(await readdir(directory)).toEqual([expect.stringMatching(/^out\.ndjson\.[0-9a-f]{8}\.incomplete$/)]);
  writeRest();
  await done;
  expect(await readdir(directory)).toEqual(['out.ndjson']);
});

test('a file that appears in the meantime is left alone', async () => {
  const { directory, file, done, writeRest } = await halfWritten();
  await writeFile(file, 'another');
  writeRest();
  await expect(done).rejects.toThrow('out.ndjson exists: pass --force to replace it');
  expect(await readFile(file, 'utf8')).toBe('another');
  expect(await readdir(directory)).toEqual(['out.ndjson']);
});

test('a file that appears at the last moment is left alone', async () => {
  const { directory, file, done, writeRest } = await halfWritten();
  for (const name of ['link', 'rename'] as const) {
    const really = fs[name];
    vi.spyOn(fs, name).mockImplementation(async (from, to) => {
      await writeFile(file, 'another');
      await really(from, to);
    });
  }
  writeRest();
  await expect(done).rejects.toThrow('out.ndjson exists: pass --force to replace it');
  expect(await readFile(file, 'utf8')).toBe('another');
  expect(await readdir(directory)).toEqual(['out.ndjson']);
});

test.each([false, true])('a file system may have no hard links; another file there: %s', async (isTaken) => {
  const { directory, file, done, writeRest } = await halfWritten();
  vi.spyOn(fs, 'link').mockRejectedValue(Object.assign(new Error('no links'), { code: 'EPERM' }));
  if (isTaken) await writeFile(file, 'another');
  writeRest();
  await (isTaken ? expect(done).rejects.toThrow('exists') : done);
  expect(await readFile(file, 'utf8')).toBe(isTaken ? 'another' : 'one\ntwo\n');
  expect((await stat(file)).mode & 0o777).toBe(isTaken ? 0o644 : 0o600);
  expect(await readdir(directory)).toEqual(['out.ndjson']);
});

test('nothing is there until something is written', async () => {
  const directory = await scratchDirectory();
  await using _target = await openTarget(join(directory, 'out.xml'), options);
  expect(await readdir(directory)).toEqual([]);
});

test('of two exports to one file at the same time, neither takes the draft of the other', async () => {
  const { directory, file, done, writeRest } = await halfWritten();
  async function* records() {
    yield 'another\n';
  }
  const other = await openTarget(file, options);
  await other.write(records(), new AbortController().signal);
  await other[Symbol.asyncDispose]();
  writeRest();
  await expect(done).rejects.toThrow('exists');
  expect(await readFile(file, 'utf8')).toBe('another\n');
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

test.each([
  ['/dev/ptmx', true],
  ['/dev/null', false],
])('%s is a terminal: %s', async (path, isTerminal) => {
  await using target = await openTarget(path, options);
  expect(target.isTerminal).toBe(isTerminal);
});
