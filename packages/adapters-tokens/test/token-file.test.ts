import { execFileSync } from 'node:child_process';
import fs, { lstat, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
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

/** Makes something and moves it there, in the place of what is there. */
async function replaceBy(path: string, make: (path: string) => Promise<unknown>): Promise<void> {
  await make(`${path}.new`);
  const isDirectory = (await lstat(`${path}.new`)).isDirectory();
  if (isDirectory) await rename(path, `${path}.old`);
  await rename(`${path}.new`, path);
}

/** Long enough to poll the file several times. */
const severalPolls = () => sleep(10 * pollIntervalMs);

/** From here on, only the returned function advances the time; it completes every poll that is due. */
function stopClock(): (ms: number) => Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  return async (ms) => {
    for (let passed = 0; passed < ms; passed += 100) {
      vi.advanceTimersByTime(100);
      // The next poll is scheduled when this one is complete.
      while (vi.getTimerCount() === 0) await setImmediate();
    }
  };
}

describe('reading', () => {
  test('comments, blank lines, a byte order mark and Windows line ends are ignored, in a file of 1 MiB', async () => {
    const text = `# The tokens of our clients.\r\n\r\n  ${alice.token}\t\r\n  # Bob, until March\r\n${bob.entry}\r\n#`;
    const { accepted } = await follow(`\ufeff${text.padEnd(1_048_576 - 3, '#')}`);
    expect(await accepted(alice.token)).toBe(true);
    expect(await accepted(bob.token)).toBe(true);
  });

  test.each([
    ['malformed', `# comment\n${alice.entry}\nhunter2 hunter2 hunter2\n`, /line 3: a token may only have/],
    ['with a comment after a token', `hunter2hunter2hunter2 # hunter2`, /line 1: a token may only have/],
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
  ])('a file that is %s: opening says so', async (_, make, message) => {
    const path = join(await scratchDirectory(onTestFinished), 'tokens');
    await make(path);
    await expect(follow('', { path })).rejects.toThrow(message);
  });

  test.each([0, 901, Number.NaN])('a poll interval of %d ms is rejected', async (interval) => {
    const message = `pollIntervalMs is ${interval}; give 1 to 900 ms`;
    await expect(follow(alice.entry, { interval })).rejects.toThrow(new RangeError(message));
  });

  test.each([1, 900])('a poll interval of %d ms is accepted', async (interval) => {
    const { accepted } = await follow(alice.entry, { interval });
    expect(await accepted(alice.token)).toBe(true);
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

test('a change takes effect within 2 s', async () => {
  const path = join(await scratchDirectory(onTestFinished), 'tokens');
  await writeFile(path, `${alice.entry}\n${bob.entry}\n`);
  const pass = stopClock();
  const file = await openTokenFile({ path, onError: () => expect.unreachable() });
  onTestFinished(() => file.close());
  const verifier = digestVerifier([file]);
  expect((await verifier.verify(alice.token)).accepted).toBe(true);
  await writeFile(path, `${bob.entry}\n`);
  await pass(2_000);
  expect((await verifier.verify(alice.token)).accepted).toBe(false);
  expect((await verifier.verify(bob.token)).accepted).toBe(true);
});

describe('a file that has become unusable', () => {
  test.each([
    ['malformed', (path: string) => writeFile(path, `${bob.entry}\nhunter2`), /line 2: a token must be/],
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
    expect(errors[0]?.message).toMatch(/its tokens stay accepted$/);
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

  test('hanging, as on a network that is down: it is reported once, read once, and used when it responds', async () => {
    const { path, errors, accepted } = await follow(alice.entry);
    const response = Promise.withResolvers<void>();
    const { open } = fs;
    const hanging = vi.spyOn(fs, 'open').mockImplementation(async (...args) => {
      await response.promise;
      return open(...args);
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      hanging.mockRestore();
      syncBuiltinESMExports();
    });
    await writeFile(path, bob.entry);
    await expect
      .poll(() => errors.map(({ message }) => message), patiently)
      .toEqual([`token file ${path}: it cannot be read within 2 s; its tokens stay accepted`]);
    expect(hanging).toHaveBeenCalledTimes(1);
    expect(await accepted(alice.token)).toBe(true);
    response.resolve();
    await becomes(true, () => accepted(bob.token));
  });

  test('deleted: its tokens are rejected until it is back, and it is reported once', async () => {
    const { path, errors, accepted } = await follow(alice.entry);
    await rm(path);
    await becomes(false, () => accepted(alice.token));
    await severalPolls();
    expect(errors.map(({ message }) => message)).toEqual([
      `token file ${path}: it cannot be read (ENOENT); its tokens are refused until it is back`,
    ]);
    await writeFile(path, alice.entry);
    await becomes(true, () => accepted(alice.token));
  });

  test.each([
    ['missing', (path: string) => rm(path)],
    ['empty', (path: string) => writeFile(path, '')],
  ])('%s for a moment while it is saved: no token is rejected, and nothing is reported', async (_, begin) => {
    const pass = stopClock();
    const { path, errors, accepted } = await follow(alice.entry, { interval: 500 });
    for (const [before, after] of [
      [alice, bob],
      [bob, alice],
    ] as const) {
      await begin(path);
      // That is, for one poll.
      await pass(500);
      expect(await accepted(before.token)).toBe(true);
      await writeFile(path, after.entry);
      await pass(500);
      expect(await accepted(after.token)).toBe(true);
    }
    expect(errors).toEqual([]);
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
