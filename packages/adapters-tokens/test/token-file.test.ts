import { execFileSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import fs, { type StatWatcher } from 'node:fs';
import { chmod, chown, lstat, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { digestVerifier, type FileUnusable, newToken, openTokenFile } from '@plant-store/adapters-tokens';
import { scratchDirectory } from '@plant-store/testing-servers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

const [alice, bob] = [newToken(), newToken()];
const pollIntervalMs = 20;

/** Follows a file with this text; returns its verifier and the reported errors. */
async function follow(
  text: string,
  { path: given, interval = pollIntervalMs }: { path?: string; interval?: number } = {},
) {
  const path = given ?? join(await scratchDirectory(onTestFinished), 'tokens');
  if (given === undefined) await writeFile(path, text);
  const errors: FileUnusable[] = [];
  const file = await openTokenFile({ path, onError: (error) => errors.push(error), pollIntervalMs: interval });
  onTestFinished(() => file.close());
  const verifier = digestVerifier([file]);
  const accepted = async (token: string) => (await verifier.verify(token)).accepted;
  return { path, file, errors, accepted };
}

/** A busy machine may poll late; another test checks that a change takes effect soon enough. */
const patiently = { timeout: 60_000, interval: 5 };

async function becomes(expected: boolean, accepted: () => Promise<boolean>): Promise<void> {
  await expect.poll(accepted, patiently).toBe(expected);
}

const mkfifo = (path: string) => void execFileSync('mkfifo', [path]);

async function withMode(path: string, mode: number): Promise<void> {
  await writeFile(path, alice.token);
  await chmod(path, mode);
}

/** Makes something and moves it there, in the place of what is there. */
async function replaceBy(path: string, make: (path: string) => Promise<unknown>): Promise<void> {
  await make(`${path}.new`);
  const isDirectory = (await lstat(`${path}.new`)).isDirectory();
  if (isDirectory) await rename(path, `${path}.old`);
  await rename(`${path}.new`, path);
}

/** Long enough to poll the file several times. */
const severalPolls = () => sleep(10 * pollIntervalMs);

describe('reading', () => {
  test('comments, blank lines, a byte order mark and Windows line ends are ignored, in a file of 1 MiB', async () => {
    const text = `# The tokens of our clients.\r\n\r\n  ${alice.token}\t\r\n  # Bob, until March\r\n${bob.entry}\r\n#`;
    const { accepted } = await follow(`\ufeff${text.padEnd(1_048_576 - 3, '#')}`);
    expect(await accepted(alice.token)).toBe(true);
    expect(await accepted(bob.token)).toBe(true);
  });

  test.each([
    ['malformed', `# comment\n${alice.entry}\nhunter2 hunter2 hunter2\n`, /line 3: a token must have/],
    ['with a comment after a token', `hunter2hunter2hunter2 # hunter2`, /line 1: a token must have/],
    ['empty', '# nothing but a comment\n', /it contains no token/],
  ])('a file that is %s: opening says why, without the secret', async (_, text, message) => {
    const opening = follow(text);
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.not.toThrow('hunter2');
    await expect(opening).rejects.toHaveProperty('name', 'FileUnusable');
  });

  test.each([
    ['missing', async () => {}, /cannot be read \(ENOENT\); the service needs it to start/],
    ['a pipe', (path: string) => mkfifo(path), /it is not a regular file; the service needs it to start/],
    ['a device without an end', (path: string) => symlink('/dev/zero', path), /it is not a regular file/],
    ['larger than 1 MiB', (path: string) => writeFile(path, '#'.repeat(1_048_577)), /it is larger than 1048576 bytes/],
    [
      'in UTF-16',
      (path: string) => writeFile(path, `\ufeff${alice.token}`, 'utf16le'),
      /it is encoded in UTF-16: save it/,
    ],
    ['in UTF-16 without a mark', (path: string) => writeFile(path, alice.token, 'utf16le'), /it is encoded in UTF-16/],
    ['in big-endian UTF-16', (path: string) => writeFile(path, '\xfe\xff\0p', 'latin1'), /it is encoded in UTF-16/],
    [
      'writable for a group',
      (path: string) => withMode(path, 0o660),
      /: other users may write to it \(mode 0660\): prevent/,
    ],
    [
      'writable for others',
      (path: string) => withMode(path, 0o602),
      /: other users may write to it \(mode 0602\): prevent/,
    ],
    [
      'behind a link, and writable',
      (path: string) => withMode(`${path}-`, 0o666).then(() => symlink(`${path}-`, path)),
      /\(mode 0666\)/,
    ],
  ])('a file that is %s: opening says so', async (_, make, message) => {
    const path = join(await scratchDirectory(onTestFinished), 'tokens');
    await make(path);
    await expect(follow('', { path })).rejects.toThrow(message);
  });
});

const ways: Readonly<Record<string, (path: string, text: string) => Promise<void>>> = {
  'the file is written to': (path, text) => writeFile(path, text),
  'it is replaced by a rename': (path, text) => replaceBy(path, (next) => writeFile(next, text)),
  'a symbolic link is swapped, as Kubernetes does with a mounted Secret': async (path, text) => {
    const directory = await mkdtemp(`${path}-`);
    await writeFile(join(directory, 'tokens'), text);
    await replaceBy(`${path}-data`, (next) => symlink(directory, next));
    await replaceBy(path, (next) => symlink(join(`${path}-data`, 'tokens'), next));
  },
};

test.each(Object.entries(ways))('a change takes effect without a restart when %s', async (_, write) => {
  const path = join(await scratchDirectory(onTestFinished), 'tokens');
  await write(path, alice.entry);
  const { errors, accepted } = await follow('', { path });
  for (const [now, before] of [
    [bob, alice],
    [alice, bob],
    [bob, alice],
  ] as const) {
    await write(path, now.entry);
    await becomes(true, () => accepted(now.token));
    expect(await accepted(before.token)).toBe(false);
  }
  // On a busy machine two polls may see it empty, before what is written arrives.
  expect(errors.filter(({ message }) => !message.includes('it contains no token'))).toEqual([]);
});

// Only root can play another user.
test.runIf(process.geteuid?.() === 0)('a file of another user is refused', async () => {
  const path = join(await scratchDirectory(onTestFinished), 'tokens');
  await withMode(path, 0o644);
  await chown(path, 65_533, 65_533);
  await expect(follow('', { path })).rejects.toThrow(
    /it belongs to another user \(uid 65533\), who could change it: give/,
  );
});

/** The one clock and the one poll of a file, which the test moves on. */
async function followByHand(path: string) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const watching = vi.spyOn(fs, 'watchFile').mockReturnValue(new EventEmitter() as StatWatcher);
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.useRealTimers();
    watching.mockRestore();
    syncBuiltinESMExports();
  });
  const { accepted, errors } = await follow('', { path, interval: 500 });
  const [, , changed] = watching.mock.calls[0] as unknown as [string, object, () => void];
  const pass = async (ms: number) => {
    vi.advanceTimersByTime(ms);
    // Long enough to read the file.
    await severalPolls();
  };
  return { accepted, errors, changed, pass };
}

test.each([
  ['half written', `${bob.entry}\n`],
  ['empty', ''],
  ['cut in the middle of a token', bob.entry.slice(0, 20)],
])('a file that is %s while it is saved: no token is rejected, and nothing is reported', async (_, part) => {
  const path = join(await scratchDirectory(onTestFinished), 'tokens');
  await writeFile(path, alice.entry);
  const { accepted, errors, changed, pass } = await followByHand(path);
  await writeFile(path, part);
  for (const _poll of [1, 2, 3]) {
    changed();
    await pass(499);
    expect(await accepted(alice.token)).toBe(true);
  }
  await writeFile(path, `${bob.entry}\n${alice.entry}\n`);
  changed();
  await pass(500);
  await becomes(true, () => accepted(bob.token));
  expect(await accepted(alice.token)).toBe(true);
  expect(errors).toEqual([]);
});

test('a change before the file is watched takes effect, too', async () => {
  const path = join(await scratchDirectory(onTestFinished), 'tokens');
  await writeFile(path, alice.entry);
  const { accepted, pass } = await followByHand(path);
  await writeFile(path, bob.entry);
  await pass(500);
  await becomes(true, () => accepted(bob.token));
});

describe('a file that has become unusable', () => {
  test.each([
    ['writable for others', (path: string) => chmod(path, 0o666), /other users may write to it \(mode 0666\)/],
    ['malformed', (path: string) => writeFile(path, `${bob.entry}\nhunter2`), /line 2: a token must have/],
    ['empty', (path: string) => writeFile(path, ''), /it contains no token/],
    ['a directory', (path: string) => replaceBy(path, (next) => mkdir(next)), /it is not a regular file/],
    ['a pipe', (path: string) => replaceBy(path, async (next) => mkfifo(next)), /it is not a regular file/],
    ['a link to itself', (path: string) => replaceBy(path, (next) => symlink(path, next)), /ELOOP/],
    ['too large', (path: string) => writeFile(path, '#'.repeat(1_048_577)), /it is larger than 1048576 bytes/],
  ])('%s: its tokens stay accepted until it is replaced, and it is reported once', async (_, breakFile, message) => {
    const { path, errors, accepted } = await follow(alice.entry);
    await breakFile(path);
    await expect.poll(() => errors.length, patiently).toBe(1);
    await severalPolls();
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toMatch(message);
    expect(errors[0]?.message).toMatch(/its former contents stay in use$/);
    expect(errors[0]?.message).not.toContain('hunter2');
    expect(await accepted(alice.token)).toBe(true);
    expect(await accepted(bob.token)).toBe(false);

    await rename(path, `${path}.broken`);
    await replaceBy(path, (next) => writeFile(next, bob.entry));
    await becomes(true, () => accepted(bob.token));
    expect(await accepted(alice.token)).toBe(false);

    // It is reported again when it is unusable again.
    await breakFile(path);
    await expect.poll(() => errors.length, patiently).toBe(2);
  });

  test('deleted: its tokens are rejected until it is back, and it is reported once', async () => {
    const { path, errors, accepted } = await follow(alice.entry);
    await rm(path);
    await becomes(false, () => accepted(alice.token));
    await severalPolls();
    expect(errors.map(({ message }) => message)).toEqual([
      `token file ${path}: it cannot be read (ENOENT); it counts as empty until it is back`,
    ]);
    await writeFile(path, alice.entry);
    await becomes(true, () => accepted(alice.token));
  });

  test('is not polled after close', async () => {
    const { path, file, errors, accepted } = await follow(alice.entry);
    file.close();
    await writeFile(path, bob.entry);
    await severalPolls();
    await rm(path);
    await severalPolls();
    expect(await accepted(alice.token)).toBe(true);
    expect(errors).toEqual([]);
  });
});
