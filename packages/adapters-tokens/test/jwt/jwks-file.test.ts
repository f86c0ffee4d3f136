import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FileUnusable } from '@plant-store/adapters-tokens';
import { jwtVerifier, openJwksFile } from '@plant-store/adapters-tokens/jwt';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../temporary-directory.ts';
import { audience, issue, issuer } from './fixed-verifier.ts';
import { keySetOf, newKey, privateKeySetOf } from './signing-key.ts';

const [oldKey, newerKey] = [newKey('ES256'), newKey('ES256')];

/** token-file.test.ts tests what files of all kinds have in common: changes, links, modes, closing. */
async function follow(text: string) {
  const path = join(await temporaryDirectory(), 'jwks.json');
  await writeFile(path, text);
  const errors: FileUnusable[] = [];
  const keys = await openJwksFile({ path, onError: (error) => errors.push(error), pollIntervalMs: 20 });
  onTestFinished(() => keys.close());
  const verifier = jwtVerifier({ keys, issuer, audience });
  return { path, keys, errors, accepted: async (token: string) => (await verifier.verify(token)).accepted };
}

/** At once: a file that is written in place may be empty at two polls of a busy machine, and is reported then. */
async function save(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

/** A busy machine may poll late; token-file.test.ts tests how soon a change takes effect. */
const patiently = { timeout: 60_000, interval: 5 };

async function becomes(expected: boolean, accepted: () => Promise<boolean>): Promise<void> {
  await expect.poll(accepted, patiently).toBe(expected);
}

test('an added key is used, a removed one is not, even for cached tokens', async () => {
  const { path, keys, errors, accepted } = await follow(keySetOf(oldKey));
  // Known without a refresh, which for a file is the same keys.
  expect(keys.known).toBeDefined();
  expect(await keys.renewed()).toBe(keys.known);
  const [old, newer] = [issue(oldKey), issue(newerKey)];
  expect([await accepted(old), await accepted(newer)]).toEqual([true, false]);
  await save(path, keySetOf(oldKey, newerKey));
  await becomes(true, () => accepted(newer));
  expect(await accepted(old)).toBe(true);
  await save(path, keySetOf(newerKey));
  await becomes(false, () => accepted(old));
  expect(await accepted(newer)).toBe(true);
  await save(path, keySetOf());
  await becomes(false, () => accepted(newer));
  expect(errors).toEqual([]);
});

test('while the keys are unchanged, tokens stay cached', async () => {
  const { path, keys } = await follow(keySetOf(oldKey));
  const { known } = keys;
  await save(path, keySetOf(oldKey));
  await sleep(200);
  expect(keys.known).toBe(known);
});

test.each([
  ['empty', ''],
  ['malformed', '{"keys": [hunter2'],
  ['something else', '{"hunter2": []}'],
  ['a list of something else', '{"keys": ["hunter2"]}'],
])(
  'a file that is %s: the known keys stay in use, and it is reported once; at start, opening throws',
  async (_, text) => {
    const { path, errors, accepted } = await follow(keySetOf(oldKey));
    await save(path, text);
    await expect.poll(() => errors.length, patiently).toBe(1);
    expect(errors[0]?.message).toMatch(/^JWKS file .*: it is not a JSON Web Key Set: .*; the known keys stay in use$/);
    expect(errors[0]?.message).not.toContain('hunter2');
    expect(await accepted(issue(oldKey))).toBe(true);
    await save(path, keySetOf(newerKey));
    await becomes(true, () => accepted(issue(newerKey)));
    expect(errors).toHaveLength(1);

    const opening = follow(text);
    await expect(opening).rejects.toThrow(/it is not a JSON Web Key Set: .*; the service needs it to start$/);
    await expect(opening).rejects.not.toThrow('hunter2');
  },
);

test.each(['RS256', 'ES256', 'Ed25519'] as const)(
  'a file with a private key (%s) is rejected and reported',
  async (alg) => {
    const key = newKey(alg);
    const [{ d }] = JSON.parse(privateKeySetOf(key)).keys;
    const secretly = JSON.stringify({ keys: [oldKey.jwk, { ...key.jwk, d }] });
    const opening = follow(secretly);
    await expect(opening).rejects.toThrow(
      /^JWKS file .*: key 2 in it is a private key \(it has a "d"\): publish .*; the service needs it to start$/,
    );
    await expect(opening).rejects.not.toThrow(d);

    const { path, errors, accepted } = await follow(keySetOf(oldKey));
    await save(path, secretly);
    await expect.poll(() => errors.length, patiently).toBe(1);
    expect(errors[0]?.message).toMatch(/: key 2 in it is a private key .*; the known keys stay in use$/);
    expect(await accepted(issue(key))).toBe(false);
    expect(await accepted(issue(oldKey))).toBe(true);
  },
);

test('a file that is deleted: every JWT is rejected until it is back', async () => {
  const { path, errors, accepted } = await follow(keySetOf(oldKey));
  const token = issue(oldKey);
  expect(await accepted(token)).toBe(true);
  await rm(path);
  await becomes(false, () => accepted(token));
  expect(errors.map(({ message }) => message)).toEqual([
    `JWKS file ${path}: it cannot be read (ENOENT); JWTs are refused until it is back`,
  ]);
  await save(path, keySetOf(oldKey));
  await becomes(true, () => accepted(token));
});

test('a file that is too large: opening throws, and says why', async () => {
  const tooLarge = follow(keySetOf(oldKey).padEnd(262_145));
  await expect(tooLarge).rejects.toThrow(/it is larger than 262144 bytes; the service needs it to start/);
});
