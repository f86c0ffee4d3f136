import fs, { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { developmentToken } from '../../src/tokens/index.ts';
import { scratchDirectory } from '../running-service.ts';

const known = 'a-token-that-another-user-knows';
const dataDirectory = async () => join(await scratchDirectory(onTestFinished), 'data');

test('concurrent first starts make one token, readable by its owner only, in a directory of their own', async () => {
  const directory = await dataDirectory();
  const tokens = await Promise.all(Array.from({ length: 10 }, () => developmentToken(directory)));
  expect(new Set(tokens).size).toBe(1);
  expect(tokens[0]).toMatch(/^plant_/);
  expect(await readdir(directory)).toEqual(['token']);
  expect((await readFile(join(directory, 'token'), 'utf8')).trim()).toBe(tokens[0]);
  expect((await stat(join(directory, 'token'))).mode & 0o777).toBe(0o600);
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
});

test('a token that another start has made meanwhile is used, and stays', async () => {
  const directory = await dataDirectory();
  const { writeFile: write } = fs;
  const drafting = vi.spyOn(fs, 'writeFile').mockImplementationOnce(async (...draft) => {
    await write(join(directory, 'token'), 'plant_of-the-other-start');
    await write(...draft);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    drafting.mockRestore();
    syncBuiltinESMExports();
  });
  expect(await developmentToken(directory)).toBe('plant_of-the-other-start');
  expect(await readdir(directory)).toEqual(['token']);
});

const token = (lay: (path: string) => Promise<unknown>) => async (directory: string) => {
  await writeFile(join(directory, 'token'), known);
  await lay(join(directory, 'token'));
};

/** What another user may have laid, where only root can play that user. */
test.each<[what: string, rootOnly: boolean, lay: (directory: string) => Promise<unknown>, message: RegExp]>([
  [
    'a directory that others may write to',
    false,
    async (directory) => {
      await chmod(directory, 0o777);
      await symlink('elsewhere', join(directory, 'token'));
    },
    /data: other users may write to it \(mode 0777\): prevent that \(chmod go-w\), or set DATA_DIR or API_TOKENS$/,
  ],
  ["another user's directory", true, (path) => chown(path, 65_533, 65_533), /data: it belongs to another user/],
  [
    'a token that others may write to',
    false,
    token((path) => chmod(path, 0o660)),
    /token: other users may write to it \(mode 0660\)/,
  ],
  [
    "another user's token",
    true,
    token((path) => chown(path, 65_533, 65_533)),
    /token: it belongs to another user \(uid 65533\)/,
  ],
])('%s is refused', async (_, rootOnly, lay, message) => {
  if (rootOnly && process.geteuid?.() !== 0) return;
  const directory = await dataDirectory();
  await mkdir(directory);
  await lay(directory);
  await expect(developmentToken(directory)).rejects.toThrow(message);
  await expect(developmentToken(directory)).rejects.not.toThrow(known);
});
