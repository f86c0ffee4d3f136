import fs, { closeSync, constants, openSync } from 'node:fs';
import { link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { openOutput } from '../../src/bulk/output.ts';
import { run } from '../running-process.ts';
import { scratchDirectory } from '../running-service.ts';

/** A directory with one of everything. */
async function oneOfEach() {
  const directory = await scratchDirectory(onTestFinished);
  const path = (name: string) => (name.startsWith('/') ? name : join(directory, name));
  await writeFile(path('file'), 'old', { mode: 0o644 });
  await link(path('file'), path('hard-link'));
  await symlink('file', path('link'));
  await symlink('nowhere', path('dangling'));
  await mkdir(path('directory'));
  await run('mkfifo', [path('pipe')], {}).ended;
  await symlink('pipe', path('link-to-pipe'));
  return { directory, path, text: (name: string) => readFile(path(name), 'utf8') };
}

/** Writes a line and then another, after which the output is committed. */
async function halfWritten(path: string, force = false) {
  const output = await openOutput(path, force, []);
  await promisify((done: () => void) => output.stream.write('one\n', done))();
  return {
    output,
    complete: async () => {
      await pipeline(['two\n'], output.stream);
      await output.commit();
    },
  };
}

test.each([
  ['new', false],
  ['file', true],
  ['link', true],
  ['dangling', true],
])('%s appears once it is complete, for its owner only, in the place of another if forced: %s', async (name, force) => {
  const { directory, path, text } = await oneOfEach();
  const before = await readdir(directory);
  const { output, complete } = await halfWritten(path(name), force);
  const drafts = (await readdir(directory)).filter((each) => !before.includes(each));
  expect(drafts).toEqual([expect.stringMatching(`^${name}\\.[0-9a-f]{8}\\.incomplete$`)]);
  await complete();
  await output[Symbol.asyncDispose]();
  expect(new Set(await readdir(directory))).toEqual(new Set([...before, name]));
  expect(await text(name)).toBe('one\ntwo\n');
  expect((await stat(path(name))).mode & 0o777).toBe(0o600);
  // What a link leads to stays.
  expect(await text('hard-link')).toBe('old');
  await expect(stat(path('nowhere'))).rejects.toThrow('ENOENT');
});

test('of two commands that write one file, neither takes the draft of the other, and the first one wins', async () => {
  const { directory, path, text } = await oneOfEach();
  const before = await readdir(directory);
  const [one, other] = [await halfWritten(path('new')), await halfWritten(path('new'))];
  await one.complete();
  await writeFile(path('new'), 'won');
  await expect(other.complete()).rejects.toThrow('EEXIST');
  expect(await text('new')).toBe('won');
  await other.output[Symbol.asyncDispose]();
  expect(await readdir(directory)).toEqual([...before, 'new'].sort());
});

test('an output that is not committed leaves nothing behind', async () => {
  const { directory, path } = await oneOfEach();
  const before = await readdir(directory);
  const { output } = await halfWritten(path('file'), true);
  await output[Symbol.asyncDispose]();
  expect(await readdir(directory)).toEqual(before);
});

test.each([
  ['file', false, 'exists: pass another path, or --force'],
  ['link', false, 'exists'],
  ['dangling', false, 'exists'],
  ['pipe', true, 'is not a regular file: pass the path of one'],
  ['link-to-pipe', true, 'is not a regular file'],
  ['/dev/ptmx', true, 'is not a regular file'],
  ['directory', true, 'is not a regular file'],
  ['nowhere/file', true, '(ENOENT): pass the path of a writable file'],
])('%s is refused, and stays as it is; forced: %s', async (name, force, message) => {
  const { directory, path, text } = await oneOfEach();
  const before = await readdir(directory);
  await expect(openOutput(path(name), force, [])).rejects.toThrow(message);
  expect(await readdir(directory)).toEqual(before);
  expect(await text('file')).toBe('old');
});

test('a pipe behind a standard device is written to at the pace of its reader, who can be given up', async () => {
  const { path } = await oneOfEach();
  const reader = openSync(path('pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path('pipe'), 'w');
  onTestFinished(() => closeSync(writer));
  // More than a pipe holds.
  const text = 'x'.repeat(1_000_000);
  await using output = await openOutput(`/dev/fd/${writer}`, false, []);
  let isWritten = false;
  const written = pipeline([text], output.stream).finally(() => {
    isWritten = true;
  });
  // Longer than a file would be written to again and again.
  await sleep(50);
  for (let read = 0; read < text.length && !isWritten; await nextTurn())
    // There may be nothing to read.
    read += await promisify(fs.read)(reader, Buffer.alloc(text.length), 0, text.length, null).then(
      ({ bytesRead }) => bytesRead,
      () => 0,
    );
  await written;

  const stalled = await openOutput(`/dev/fd/${writer}`, false, []);
  const writing = pipeline([text], stalled.stream);
  await stalled[Symbol.asyncDispose]();
  await expect(writing).rejects.toThrow('Premature close');
  closeSync(reader);
  await expect(openOutput(`/dev/fd/${writer}`, false, [])).rejects.toThrow('(ENXIO)');
});

test('a standard device is written to, and a file behind it is appended to', async () => {
  const { path, text } = await oneOfEach();
  const fd = openSync(path('file'), 'r+');
  onTestFinished(() => closeSync(fd));
  await using output = await openOutput(`/dev/fd/${fd}`, false, []);
  await pipeline([' and new'], output.stream);
  await output.commit();
  expect(await text('file')).toBe('old and new');
  await using nothing = await openOutput('/dev/null', false, []);
  await pipeline(['text'], nothing.stream);
});

test.each(['file', 'link', 'hard-link', '../file'])('%s is refused while a command uses the file', async (name) => {
  const { path } = await oneOfEach();
  const other = name === '../file' ? path('directory/../file') : path(name);
  const opened = openOutput(other, true, [path('nowhere'), path('file')]);
  await expect(opened).rejects.toThrow('is in use by this command');
  await using _ = await openOutput(other, true, [path('nowhere'), path('pipe')]);
  await using _new = await openOutput(path('new'), true, [path('nowhere'), path('file')]);
});
