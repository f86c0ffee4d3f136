import { execFileSync } from 'node:child_process';
import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newToken, openTokenFile, parseTokenList } from '@plant-store/adapters-tokens';
import { jwtVerifier, openJwksFile } from '@plant-store/adapters-tokens/jwt';
import { scratchDirectory } from '@plant-store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { followFile } from '../src/follow-file.ts';
import { audience, issue, issuer, makeKeySet, newKey } from './jwts.ts';

const [alice, bob, carol] = [newToken(), newToken(), newToken()];
/** A busy machine may poll late; the fault suite checks that a change takes effect soon enough. */
const patiently = { timeout: 60_000, interval: 5 };

type Make = (path: string) => unknown;
const text = (content: string) => (path: string) => writeFile(path, content);
/** Makes something and moves it there at once, in the place of what is there. */
const replaceBy = (make: Make) => async (path: string) => {
  await make(`${path}.new`);
  await rename(`${path}.new`, path);
};

/** Makes a file of tokens and follows it; returns whether those of Alice and Bob are accepted, and the reported errors. */
async function follow(make: Make) {
  const path = join(await scratchDirectory(onTestFinished), 'followed');
  await make(path);
  const errors: string[] = [];
  const onError = ({ message }: Error) => void errors.push(message);
  const tokens = await openTokenFile({ path, onError, pollIntervalMs: 20 }, parseTokenList(carol.entry));
  onTestFinished(() => tokens.close());
  const accepted = () => [alice, bob].map(({ token }) => tokens.current.findSubject(token) !== undefined);
  const becomes = (...expected: boolean[]) => expect.poll(accepted, patiently).toEqual(expected);
  return { path, errors, becomes, tokens };
}

test.each<[what: string, make: Make, message: RegExp]>([
  ['malformed', text(`# comment\n${alice.entry}\nhunter2 hunter2 hunter2\n`), /: entry 3: expected a token of 16/],
  ['missing', () => {}, /: it cannot be read \(ENOENT\)/],
  ['a pipe', (path) => execFileSync('mkfifo', [path]), /: it is not a regular file/],
])('a file that is %s: opening says so, without the secret', async (_, make, message) => {
  const opening = follow(make);
  await expect(opening).rejects.toThrow(message);
  await expect(opening).rejects.toThrow(/; the service needs it to start$/);
  await expect(opening).rejects.not.toThrow('hunter2');
});

test('a change takes effect without a restart, also of a link, as Kubernetes swaps it for a mounted Secret', async () => {
  const { path, becomes } = await follow(text(alice.entry));
  await becomes(true, false);
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

test('P7/F8 of a file that breaks the rest is in use, one that is deleted or emptied revokes its tokens, and each is reported', async () => {
  const { path, errors, becomes, tokens } = await follow(text(alice.entry));
  await replaceBy(text(`${bob.entry}\nhunter2`))(path);
  await expect.poll(() => errors[0], patiently).toMatch(/: entry 2: expected a token.*; the rest of it is in use$/);
  await becomes(false, true);
  await rm(path);
  await becomes(false, false);
  await expect.poll(() => errors.at(-1), patiently).toMatch(/ \(ENOENT\); all its entries are revoked$/);
  await text(bob.entry)(path);
  await becomes(false, true);
  await text('# nobody\n')(path);
  await becomes(false, false);
  expect(tokens.current.findSubject(carol.token)).toBeDefined();
  expect(errors.join()).not.toContain('hunter2');
});

test('a change while a larger file is still being read takes effect after it, and stays', async () => {
  const path = join(await scratchDirectory(onTestFinished), 'large');
  await writeFile(path, '');
  const file = await followFile({ path, onError() {}, pollIntervalMs: 1 }, ({ length }) => length, 0);
  onTestFinished(() => file.close());
  for (let round = 1; round <= 3; round += 1) {
    await replaceBy(text('#'.repeat(100_000_000 + round)))(path);
    // Most often it is being read now.
    await sleep(20);
    await replaceBy(text('#'.repeat(round)))(path);
    await expect.poll(() => file.current, patiently).toBe(round);
    // Longer than the larger file takes.
    await sleep(300);
    expect(file.current).toBe(round);
  }
});

test('a file of keys is followed in the same way, and no token is accepted once it is deleted', async () => {
  const path = join(await scratchDirectory(onTestFinished), 'jwks.json');
  const key = newKey('ES256');
  const open = (content: string) =>
    writeFile(path, content).then(() => openJwksFile({ path, onError() {}, pollIntervalMs: 20 }));
  await expect(open('{"keys": [hunter2')).rejects.toThrow(
    /: it is not a JSON Web Key Set: give \{"keys": \[…\]\} with/,
  );
  const keys = await open(`\ufeff${makeKeySet(key)}`);
  onTestFinished(() => keys.close());
  const { verify } = jwtVerifier({ keys, issuer, audience });
  expect((await verify(issue(key))).accepted).toBe(true);
  await rm(path);
  let sub = 0;
  const isAccepted = async () => (await verify(issue(key, { sub: `client ${sub++}` }))).accepted;
  await expect.poll(isAccepted, patiently).toBe(false);
});
