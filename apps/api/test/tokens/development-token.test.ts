import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
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
  expect(await developmentToken(directory)).toBe(tokens[0]);
  expect((await stat(join(directory, 'token'))).mode & 0o777).toBe(0o600);
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
});

/** A directory that has a token, to whose file something was done. */
const withToken = (lay: (path: string) => Promise<unknown>) => async (directory: string) => {
  await writeFile(join(directory, 'token'), known);
  await lay(join(directory, 'token'));
};
const isRoot = process.geteuid?.() === 0;
const toAnotherUser = (path: string) => (isRoot ? chown(path, 65_533, 65_533) : chmod(path, 0o666));

/** What another user may have laid, where only root can play that user. */
test.each<[what: string, lay: (directory: string) => Promise<unknown>, message: RegExp]>([
  ['a directory that others may write to', (path) => chmod(path, 0o777), /data: other users may write to it/],
  ["another user's directory", toAnotherUser, /data: (?:it belongs to another user|other users may write to it)/],
  ['a token that others may write to', withToken((path) => chmod(path, 0o660)), /token: other users may write to it/],
  ["another user's token", withToken(toAnotherUser), /token: (?:it belongs to another user|other users may write)/],
])('%s is refused, with what to do', async (_, lay, message) => {
  const directory = await dataDirectory();
  await mkdir(directory);
  await lay(directory);
  await expect(developmentToken(directory)).rejects.toThrow(message);
  await expect(developmentToken(directory)).rejects.toThrow(/or set DATA_DIR or API_TOKENS$/);
  await expect(developmentToken(directory)).rejects.not.toThrow(known);
});
