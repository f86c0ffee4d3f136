import { execFileSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import fs, { type StatWatcher, unwatchFile } from 'node:fs';
import { chmod, chown, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { digestVerifier, type FollowOptions, newToken, openTokenFile } from '@plant-store/adapters-tokens';
import { jwtVerifier, openJwksFile } from '@plant-store/adapters-tokens/jwt';
import { scratchDirectory } from '@plant-store/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { audience, issue, issuer, keySetOf, newKey } from './jwt/jwts.ts';

const [alice, bob] = [newToken(), newToken()];
const [aliceKey, bobKey] = [newKey('ES256'), newKey('ES256')];
const privateKey = { jwk: { ...bobKey.jwk, ...bobKey.privateKey.export({ format: 'jwk' }) } };
/** A busy machine may poll late; the test of the whole service checks that a change takes effect soon enough. */
const patiently = { timeout: 60_000, interval: 5 };
const severalPolls = () => sleep(200);

/** What verifies with a file, a token of Alice and one of Bob, and files that accept hers alone and his alone. */
const tokens = {
  verifier: async (options: FollowOptions) => digestVerifier([await openTokenFile(options)]),
  presented: [alice.token, bob.token],
  texts: [alice.entry, bob.entry] as [string, string],
};
const keys: typeof tokens = {
  verifier: async (options) => jwtVerifier({ keys: await openJwksFile(options), issuer, audience }),
  presented: [issue(aliceKey), issue(bobKey)],
  texts: [keySetOf(aliceKey), keySetOf(bobKey)],
};

type Make = (path: string) => unknown;
const text = (content: string, encoding: BufferEncoding = 'utf8') => {
  return (path: string) => writeFile(path, content, encoding);
};
const withMode = (mode: number) => (path: string) => writeFile(path, alice.token).then(() => chmod(path, mode));
const linkedTo = (make: Make) => (path: string) => Promise.all([make(`${path}-`), symlink(`${path}-`, path)]);
const ofAnotherUser = (path: string) => withMode(0o644)(path).then(() => chown(path, 65_533, 65_533));
/** Makes something and moves it there at once, in the place of what is there. */
const replaceBy = (make: Make) => async (path: string) => {
  await make(`${path}.new`);
  await rename(`${path}.new`, path);
};

/** Makes a file and follows it; returns what tells whose tokens are accepted, and the reported errors. */
async function follow(make: Make, { verifier, presented } = tokens, pollIntervalMs = 20) {
  const path = join(await scratchDirectory(onTestFinished), 'followed');
  await make(path);
  const errors: string[] = [];
  const { verify } = await verifier({ path, onError: ({ message }) => errors.push(message), pollIntervalMs });
  onTestFinished(() => unwatchFile(path));
  const accepted = async () => (await Promise.all(presented.map(verify))).map((verdict) => verdict.accepted);
  const becomes = (...expected: boolean[]) => expect.poll(accepted, patiently).toEqual(expected);
  return { path, errors, accepted, becomes };
}

test('comments, blank lines, a byte order mark and Windows line ends are ignored, in a file of 1 MiB', async () => {
  const content = `\ufeff# Our clients.\r\n\r\n  ${alice.token}\t\r\n  # Bob, until March\r\n${bob.entry}\r\n#`;
  const { accepted } = await follow(text(content.padEnd(1_048_576 - 2, '#')));
  expect(await accepted()).toEqual([true, true]);
});

const noKeySet = /: it is not a JSON Web Key Set: give \{"keys": \[…\]\} with the public keys/;
test.each<[what: string, make: Make, message: RegExp, kind?: typeof tokens]>([
  ['malformed', text(`# comment\n${alice.entry}\nhunter2 hunter2 hunter2\n`), /: line 3: expected a token of 16/],
  ['empty', text('# nothing but a comment\n'), /: it contains no token/],
  ['missing', () => {}, /: it cannot be read \(ENOENT\)/],
  ['a pipe', (path) => execFileSync('mkfifo', [path]), /: it is not a regular file/],
  ['a device without an end', (path) => symlink('/dev/zero', path), /: it is not a regular file/],
  ['larger than 1 MiB', text('#'.repeat(1_048_577)), /: it is larger than 1048576 bytes/],
  ['in UTF-16', text(`\ufeff${alice.token}`, 'utf16le'), /: it is encoded in UTF-16: save it as UTF-8/],
  ['in UTF-16 without a mark', text(alice.token, 'utf16le'), /: it is encoded in UTF-16/],
  ['in big-endian UTF-16', text('\xfe\xff\0p', 'latin1'), /: it is encoded in UTF-16/],
  ['writable for a group', withMode(0o660), /: other users may write to it \(mode 0660\): prevent that/],
  ['writable for others behind a link', linkedTo(withMode(0o602)), /\(mode 0602\)/],
  // Only root can play another user.
  ...(process.geteuid?.() === 0
    ? [["another user's", ofAnotherUser, /: it belongs to another user \(uid 65533\)/] as [string, Make, RegExp]]
    : []),
  ['no key set', text('{"keys": [hunter2'), noKeySet, keys],
  ['a set with a private key', text(keySetOf(aliceKey, privateKey)), /: it has a private key \(one with a "d"\)/, keys],
])('a file that is %s: opening says so, without the secret', async (_, make, message, kind) => {
  const opening = follow(make, kind);
  await expect(opening).rejects.toThrow(message);
  await expect(opening).rejects.toThrow(/; the service needs it to start$/);
  await expect(opening).rejects.not.toThrow(/hunter2|"d":/);
});

test.each<[how: string, write: (content: string) => (path: string) => unknown, kind?: typeof tokens]>([
  ['a key set is replaced', (content) => replaceBy(text(`\ufeff${content}`)), keys],
  [
    'a symbolic link is swapped, as Kubernetes does with a mounted Secret',
    (content) => async (path) => {
      const directory = await mkdtemp(`${path}-`);
      await writeFile(join(directory, 'file'), content);
      await replaceBy((next) => symlink(directory, next))(`${path}-data`);
      await replaceBy((next) => symlink(join(`${path}-data`, 'file'), next))(path);
    },
  ],
])('a change takes effect without a restart when %s', async (_, write, kind = tokens) => {
  const { path, becomes } = await follow(write(kind.texts[0]), kind);
  for (const now of [1, 0, 1] as const) {
    await write(kind.texts[now])(path);
    await becomes(now === 0, now === 1);
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
  const { path, accepted, becomes, errors } = await follow(text(alice.entry), tokens, 500);
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

test.each([
  ['tokens', tokens, `${bob.entry}\nhunter2`, /: line 2: expected a token/],
  ['keys', keys, keySetOf(privateKey), /it has a private key/],
])(
  'a file of %s that breaks: its contents stay in use, and not every poll reports it',
  async (_, kind, broken, message) => {
    const { path, errors, accepted, becomes } = await follow(text(kind.texts[0]), kind);
    await replaceBy(text(broken))(path);
    await expect.poll(() => errors[0], patiently).toMatch(message);
    await severalPolls();
    // Twice if it broke while it was read again after the start.
    expect(errors.length).toBeLessThan(3);
    expect(errors[0]).toMatch(/; its former contents stay in use$/);
    expect(errors[0]).not.toContain('hunter2');
    expect(await accepted()).toEqual([true, false]);
    await replaceBy(text(kind.texts[1]))(path);
    await becomes(false, true);
  },
);

test.each([
  ['tokens', tokens],
  ['keys', keys],
])('a file of %s that is deleted: every token is rejected until it is back, and that is reported', async (_, kind) => {
  const { path, errors, becomes } = await follow(text(kind.texts[0]), kind);
  await rm(path);
  await becomes(false, false);
  await expect.poll(() => errors, patiently).toHaveLength(1);
  expect(errors[0]).toBe(`${path}: it cannot be read (ENOENT); it counts as empty until it is back`);
  await text(kind.texts[0])(path);
  await becomes(true, false);
});
