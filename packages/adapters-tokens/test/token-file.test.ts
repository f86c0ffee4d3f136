import { execFileSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import fs, { type StatWatcher } from 'node:fs';
import { chmod, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { digestVerifier, newToken, openTokenFile } from '@plant-store/adapters-tokens';
import { jwtVerifier, openJwksFile } from '@plant-store/adapters-tokens/jwt';
import { scratchDirectory } from '@plant-store/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { audience, issue, issuer, keySetOf, newKey } from './jwt/jwts.ts';

const [alice, bob] = [newToken(), newToken()];
const key = newKey('ES256');
const privateKey = { jwk: { ...key.jwk, ...key.privateKey.export({ format: 'jwk' }) } };
/** A busy machine may poll late; the test of the whole service checks that a change takes effect soon enough. */
const patiently = { timeout: 60_000, interval: 5 };
const severalPolls = () => sleep(200);

type Make = (path: string) => unknown;
const text = (content: string, encoding: BufferEncoding = 'utf8') => {
  return (path: string) => writeFile(path, content, encoding);
};
const writableBehindALink = async (path: string) => {
  await writeFile(`${path}-`, alice.token);
  await chmod(`${path}-`, 0o602);
  await symlink(`${path}-`, path);
};
/** Makes something and moves it there at once, in the place of what is there. */
const replaceBy = (make: Make) => async (path: string) => {
  await make(`${path}.new`);
  await rename(`${path}.new`, path);
};

/** Makes a file of tokens and follows it; returns whether those of Alice and Bob are accepted, and the reported errors. */
async function follow(make: Make, pollIntervalMs = 20) {
  const path = join(await scratchDirectory(onTestFinished), 'followed');
  await make(path);
  const errors: string[] = [];
  const tokens = await openTokenFile({ path, onError: ({ message }) => errors.push(message), pollIntervalMs });
  onTestFinished(() => tokens.close());
  const { verify } = digestVerifier([tokens]);
  const accepted = async () => [(await verify(alice.token)).accepted, (await verify(bob.token)).accepted];
  const becomes = (...expected: boolean[]) => expect.poll(accepted, patiently).toEqual(expected);
  return { path, errors, accepted, becomes };
}

test('comments, blank lines, a byte order mark and Windows line ends are ignored, in a file of 1 MiB', async () => {
  const content = `\ufeff# Our clients.\r\n\r\n  ${alice.token}\t\r\n  # Bob, until March\r\n${bob.entry}\r\n#`;
  const { accepted } = await follow(text(content.padEnd(1_048_576 - 2, '#')));
  expect(await accepted()).toEqual([true, true]);
});

test.each<[what: string, make: Make, message: RegExp]>([
  ['malformed', text(`# comment\n${alice.entry}\nhunter2 hunter2 hunter2\n`), /: line 3: expected a token of 16/],
  ['empty', text('# nothing but a comment\n'), /: it contains no token/],
  ['missing', () => {}, /: it cannot be read \(ENOENT\)/],
  ['a pipe', (path) => execFileSync('mkfifo', [path]), /: it is not a regular file/],
  ['larger than 1 MiB', text('#'.repeat(1_048_577)), /: it is larger than 1048576 bytes/],
  ['in UTF-16', text(`\ufeff${alice.token}`, 'utf16le'), /: it is encoded in UTF-16: save it as UTF-8/],
  ['in UTF-16 without a mark', text(alice.token, 'utf16le'), /: it is encoded in UTF-16/],
  ['writable for others, behind a link', writableBehindALink, /: other users may write to it \(mode 0602\): prevent/],
])('a file that is %s: opening says so, without the secret', async (_, make, message) => {
  const opening = follow(make);
  await expect(opening).rejects.toThrow(message);
  await expect(opening).rejects.toThrow(/; the service needs it to start$/);
  await expect(opening).rejects.not.toThrow('hunter2');
});

test('a change takes effect without a restart, also of a link, as Kubernetes swaps it for a mounted Secret', async () => {
  const { path, becomes } = await follow(text(alice.entry));
  await replaceBy(text(bob.entry))(path);
  await becomes(false, true);
  for (const [entry, ...accepted] of [[alice.entry, true, false] as const, [bob.entry, false, true] as const]) {
    const directory = await mkdtemp(`${path}-`);
    await writeFile(join(directory, 'file'), entry);
    await replaceBy((next) => symlink(directory, next))(`${path}-data`);
    await replaceBy((next) => symlink(join(`${path}-data`, 'file'), next))(path);
    await becomes(...accepted);
  }
});

test('a file that is being saved is read when it has not changed for a poll: no token is rejected meanwhile', async () => {
  // The one clock and the one poll, which the test moves on.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const watching = vi.spyOn(fs, 'watchFile').mockReturnValue(new EventEmitter() as StatWatcher);
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.useRealTimers();
    watching.mockRestore();
    syncBuiltinESMExports();
  });
  const { path, accepted, becomes, errors } = await follow(text(alice.entry), 500);
  const [, , changed] = watching.mock.lastCall as unknown as [string, object, () => void];
  // Changed before it was watched.
  await writeFile(path, bob.entry);
  vi.advanceTimersByTime(500);
  await becomes(false, true);
  for (const content of [alice.entry, '', alice.entry.slice(0, 20), `${bob.entry}\n${alice.entry}\n`]) {
    await writeFile(path, content);
    changed();
    vi.advanceTimersByTime(499);
    // Long enough to read the file.
    await severalPolls();
    expect(await accepted()).toEqual([false, true]);
  }
  vi.advanceTimersByTime(1);
  await becomes(true, true);
  expect(errors).toEqual([]);
});

test('a file that breaks stays in use, one that is deleted or emptied revokes its tokens, and each is reported', async () => {
  const { path, errors, accepted, becomes } = await follow(text(alice.entry));
  await replaceBy(text(`${bob.entry}\nhunter2`))(path);
  await expect
    .poll(() => errors[0], patiently)
    .toMatch(/: line 2: expected a token.*; its former contents stay in use$/);
  await severalPolls();
  // Not by every poll: twice if it broke while it was read again after the start.
  expect(errors.length).toBeLessThan(3);
  expect(await accepted()).toEqual([true, false]);
  await rm(path);
  await becomes(false, false);
  await expect.poll(() => errors.at(-1), patiently).toMatch(/ \(ENOENT\); all its entries are revoked$/);
  for (const emptied of ['', `# ${bob.token}\n`]) {
    await text(bob.entry)(path);
    await becomes(false, true);
    await text(emptied)(path);
    await becomes(false, false);
    await expect.poll(() => errors.at(-1), patiently).toMatch(/: it contains no token; all its entries are revoked$/);
  }
  expect(errors.join()).not.toContain('hunter2');
});

test('a file of keys is followed in the same way: without a private key, and no token is accepted once it is deleted', async () => {
  const path = join(await scratchDirectory(onTestFinished), 'jwks.json');
  const open = (content: string) =>
    writeFile(path, content).then(() => openJwksFile({ path, onError() {}, pollIntervalMs: 20 }));
  await expect(open('{"keys": [hunter2')).rejects.toThrow(
    /: it is not a JSON Web Key Set: give \{"keys": \[…\]\} with/,
  );
  await expect(open(keySetOf(privateKey))).rejects.toThrow(/: it has a private key \(one with a "d"\)/);
  const keys = await open(`\ufeff${keySetOf(key)}`);
  onTestFinished(() => keys.close());
  const { verify } = jwtVerifier({ keys, issuer, audience });
  expect((await verify(issue(key))).accepted).toBe(true);
  await rm(path);
  await expect.poll(async () => (await verify(issue(key))).accepted, patiently).toBe(false);
});
