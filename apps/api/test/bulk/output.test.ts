import { link, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { openOutput } from '../../src/bulk/output.ts';
import { scratchDirectory } from '../running-service.ts';

/** A directory with one of everything. */
async function oneOfEach() {
  const directory = await scratchDirectory(onTestFinished);
  const path = (name: string) => join(directory, name);
  await writeFile(path('file'), 'old', { mode: 0o644 });
  await link(path('file'), path('hard-link'));
  await symlink('file', path('link'));
  await symlink('nowhere', path('dangling'));
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

test('an output that is not committed leaves nothing behind, and one whose place was taken meanwhile replaces nothing', async () => {
  const { directory, path, text } = await oneOfEach();
  const { output, complete } = await halfWritten(path('new'));
  await writeFile(path('new'), 'won');
  const before = await readdir(directory);
  await expect(complete()).rejects.toThrow('EEXIST');
  await output[Symbol.asyncDispose]();
  expect(await text('new')).toBe('won');
  expect(before.filter((name) => !name.endsWith('.incomplete'))).toEqual(await readdir(directory));
});
