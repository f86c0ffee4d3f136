import { execFileSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import fs, { type StatWatcher } from 'node:fs';
import { chmod, chown, lstat, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { digestVerifier, newToken, openTokenFile } from '@plant-store/adapters-tokens';
import { scratchDirectory } from '@plant-store/testing-servers';
import { expect, onTestFinished, test, vi } from 'vitest';

const [alice, bob] = [newToken(), newToken()];
const pollIntervalMs = 20;
/** Long enough to poll the file ten times. */
const severalPolls = () => sleep(10 * pollIntervalMs);
/** A busy machine may poll late; the test of the whole service checks that a change takes effect soon enough. */
const patiently = { timeout: 60_000, interval: 5 };

type Make = (path: string) => unknown;
const scratchFile = async () => join(await scratchDirectory(onTestFinished), 'tokens');
const text = (content: string, encoding: BufferEncoding = 'utf8') => {
  return (path: string) => writeFile(path, content, encoding);
};
const withMode = (mode: number) => async (path: string) => {
  await writeFile(path, alice.token);
  await chmod(path, mode);
};
/** Makes something and moves it there at once, in the place of what is there. */
const replaceBy = (make: Make) => async (path: string) => {
  await make(`${path}.new`);
  if ((await lstat(`${path}.new`)).isDirectory()) await rename(path, `${path}.old`);
  await rename(`${path}.new`, path);
};
const pipe: Make = (path) => execFileSync('mkfifo', [path]);
const tooLarge = text('#'.repeat(1_048_577));

/** Follows a file; returns what tells whether its tokens are accepted, and the reported errors. */
async function follow(path: string, interval = pollIntervalMs) {
  const errors: string[] = [];
  const onError = ({ message }: Error) => void errors.push(message);
  const file = await openTokenFile({ path, onError, pollIntervalMs: interval });
  onTestFinished(() => file.close());
  const { verify } = digestVerifier([file]);
  const accepted = async () => [(await verify(alice.token)).accepted, (await verify(bob.token)).accepted];
  const becomes = (...expected: [ofAlice: boolean, ofBob: boolean]) =>
    expect.poll(accepted, patiently).toEqual(expected);
  return { file, errors, accepted, becomes };
}

test('comments, blank lines, a byte order mark and Windows line ends are ignored, in a file of 1 MiB', async () => {
  const content = `# The tokens of our clients.\r\n\r\n  ${alice.token}\t\r\n  # Bob, until March\r\n${bob.entry}\r\n#`;
  const path = await scratchFile();
  await writeFile(path, `\ufeff${content.padEnd(1_048_576 - 3, '#')}`);
  expect(await (await follow(path)).accepted()).toEqual([true, true]);
});

test.each<[what: string, make: Make, message: RegExp]>([
  ['malformed', text(`# comment\n${alice.entry}\nhunter2 hunter2 hunter2\n`), /: line 3: expected a token of 16/],
  ['with a comment after a token', text('hunter2hunter2hunter2 # hunter2'), /: line 1: expected a token/],
  ['empty', text('# nothing but a comment\n'), /: it contains no token/],
  ['missing', () => {}, /: it cannot be read \(ENOENT\)/],
  ['a pipe', pipe, /: it is not a regular file/],
  ['a device without an end', (path) => symlink('/dev/zero', path), /: it is not a regular file/],
  ['larger than 1 MiB', tooLarge, /: it is larger than 1048576 bytes/],
  ['in UTF-16', text(`\ufeff${alice.token}`, 'utf16le'), /: it is encoded in UTF-16: save it as UTF-8/],
  ['in UTF-16 without a mark', text(alice.token, 'utf16le'), /: it is encoded in UTF-16/],
  ['in big-endian UTF-16', text('\xfe\xff\0p', 'latin1'), /: it is encoded in UTF-16/],
  ['writable for a group', withMode(0o660), /: other users may write to it \(mode 0660\): prevent that/],
  ['writable for others', withMode(0o602), /: other users may write to it \(mode 0602\): prevent that/],
  [
    'behind a link, and writable',
    (path) => Promise.all([withMode(0o666)(`${path}-`), symlink(`${path}-`, path)]),
    /\(mode 0666\)/,
  ],
  // Only root can play another user.
  ...(process.geteuid?.() === 0 ? [ofAnotherUser()] : []),
])('a file that is %s: opening says so, without the secret', async (_, make, message) => {
  const path = await scratchFile();
  await make(path);
  const opening = follow(path);
  await expect(opening).rejects.toThrow(message);
  await expect(opening).rejects.toThrow(/; the service needs it to start$/);
  await expect(opening).rejects.not.toThrow('hunter2');
});

test.each<[how: string, write: (path: string, content: string) => Promise<void>]>([
  ['the file is written to', writeFile],
  ['it is replaced by a rename', (path, content) => replaceBy(text(content))(path)],
  [
    'a symbolic link is swapped, as Kubernetes does with a mounted Secret',
    async (path, content) => {
      const directory = await mkdtemp(`${path}-`);
      await writeFile(join(directory, 'tokens'), content);
      await replaceBy((next) => symlink(directory, next))(`${path}-data`);
      await replaceBy((next) => symlink(join(`${path}-data`, 'tokens'), next))(path);
    },
  ],
])('a change takes effect without a restart when %s', async (_, write) => {
  const path = await scratchFile();
  await write(path, alice.entry);
  const { errors, becomes } = await follow(path);
  for (const now of [bob, alice, bob]) {
    await write(path, now.entry);
    await becomes(now === alice, now === bob);
  }
  // On a busy machine two polls may see it empty, before what is written arrives.
  expect(errors.filter((message) => !message.includes('it contains no token'))).toEqual([]);
});

/** Follows a file by the one clock and the one poll, which the test moves on. */
async function followByHand(path: string) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const watching = vi.spyOn(fs, 'watchFile').mockReturnValue(new EventEmitter() as StatWatcher);
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.useRealTimers();
    watching.mockRestore();
    syncBuiltinESMExports();
  });
  const followed = await follow(path, 500);
  const [, , changed] = watching.mock.calls[0] as unknown as [string, object, () => void];
  const pass = async (ms: number) => {
    vi.advanceTimersByTime(ms);
    // Long enough to read the file.
    await severalPolls();
  };
  return { ...followed, changed, pass };
}

test.each([
  ['half written', `${bob.entry}\n`],
  ['empty', ''],
  ['cut in the middle of a token', bob.entry.slice(0, 20)],
])('a file that is %s while it is saved: no token is rejected, and nothing is reported', async (_, part) => {
  const path = await scratchFile();
  await writeFile(path, alice.entry);
  const { accepted, becomes, errors, changed, pass } = await followByHand(path);
  await writeFile(path, part);
  for (const _poll of [1, 2, 3]) {
    changed();
    await pass(499);
    expect(await accepted()).toEqual([true, false]);
  }
  await writeFile(path, `${bob.entry}\n${alice.entry}\n`);
  changed();
  await pass(500);
  await becomes(true, true);
  expect(errors).toEqual([]);
});

test('a change before the file is watched takes effect, too', async () => {
  const path = await scratchFile();
  await writeFile(path, alice.entry);
  const { becomes, pass } = await followByHand(path);
  await writeFile(path, bob.entry);
  await pass(500);
  await becomes(false, true);
});

test.each<[what: string, breakFile: Make, message: RegExp]>([
  ['writable for others', (path) => chmod(path, 0o666), /other users may write to it \(mode 0666\)/],
  ['malformed', replaceBy(text(`${bob.entry}\nhunter2`)), /: line 2: expected a token/],
  ['empty', replaceBy(text('')), /it contains no token/],
  ['a directory', replaceBy(mkdir), /it is not a regular file/],
  ['a pipe', replaceBy(pipe), /it is not a regular file/],
  ['a link to itself', (path) => replaceBy((next) => symlink(path, next))(path), /ELOOP/],
  ['too large', replaceBy(tooLarge), /it is larger than 1048576 bytes/],
])(
  'a file that becomes %s: its tokens stay accepted until it is replaced, and not every poll reports it',
  async (_, breakFile, message) => {
    const path = await scratchFile();
    await writeFile(path, alice.entry);
    const { errors, accepted, becomes } = await follow(path);
    await breakFile(path);
    await expect.poll(() => errors.length, patiently).toBeGreaterThan(0);
    await severalPolls();
    // Twice if it was broken while it was read again after the start.
    expect(errors.length).toBeLessThan(3);
    expect(errors[0]).toMatch(message);
    expect(errors[0]).toMatch(/; its former contents stay in use$/);
    expect(errors[0]).not.toContain('hunter2');
    expect(await accepted()).toEqual([true, false]);

    await rename(path, `${path}.broken`);
    await replaceBy(text(bob.entry))(path);
    await becomes(false, true);
  },
);

test('a file that is deleted: its tokens are rejected until it is back, and that is reported', async () => {
  const path = await scratchFile();
  await writeFile(path, alice.entry);
  const { errors, becomes } = await follow(path);
  await rm(path);
  await becomes(false, false);
  await severalPolls();
  expect(errors[0]).toBe(`${path}: it cannot be read (ENOENT); it counts as empty until it is back`);
  await writeFile(path, alice.entry);
  await becomes(true, false);
});

test('a file is not polled after close', async () => {
  const path = await scratchFile();
  await writeFile(path, alice.entry);
  const { file, errors, accepted } = await follow(path);
  file.close();
  await writeFile(path, bob.entry);
  await severalPolls();
  await rm(path);
  await severalPolls();
  expect(await accepted()).toEqual([true, false]);
  expect(errors).toEqual([]);
});

function ofAnotherUser(): [string, Make, RegExp] {
  const make: Make = async (path) => {
    await withMode(0o644)(path);
    await chown(path, 65_533, 65_533);
  };
  return ["another user's", make, /: it belongs to another user \(uid 65533\), who could change it: give/];
}
