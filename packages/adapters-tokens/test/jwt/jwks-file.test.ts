import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jwtVerifier, openJwksFile } from '@plant-store/adapters-tokens/jwt';
import { scratchDirectory } from '@plant-store/testing-servers';
import { expect, onTestFinished, test } from 'vitest';
import { audience, issue, issuer } from './fixed-verifier.ts';
import { keySetOf, newKey, privateKeySetOf } from './signing-key.ts';

const [oldKey, newerKey] = [newKey('ES256'), newKey('ES256')];

/** token-file.test.ts tests what files of all kinds have in common: changes, links, modes, closing. */
async function follow(text: string) {
  const path = join(await scratchDirectory(onTestFinished), 'jwks.json');
  await writeFile(path, text);
  const errors: string[] = [];
  const keys = await openJwksFile({ path, onError: ({ message }) => errors.push(message), pollIntervalMs: 20 });
  onTestFinished(() => keys.close());
  const verifier = jwtVerifier({ keys, issuer, audience });
  const accepted = async (token: string) => (await verifier.verify(token)).accepted;
  /** A busy machine may poll late; token-file.test.ts tests how soon a change takes effect. */
  const becomes = (expected: boolean, token: string) =>
    expect.poll(() => accepted(token), { timeout: 60_000, interval: 5 }).toBe(expected);
  return { path, errors, accepted, becomes };
}

/** At once: a file that is written in place may be empty at two polls of a busy machine, and is reported then. */
async function save(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

test('an added key is used, a removed one is not, even for cached tokens', async () => {
  const { path, errors, accepted, becomes } = await follow(keySetOf(oldKey));
  const [old, newer] = [issue(oldKey), issue(newerKey)];
  expect([await accepted(old), await accepted(newer)]).toEqual([true, false]);
  await save(path, keySetOf(oldKey, newerKey));
  await becomes(true, newer);
  expect(await accepted(old)).toBe(true);
  await save(path, keySetOf(newerKey));
  await becomes(false, old);
  expect(await accepted(newer)).toBe(true);
  await save(path, keySetOf());
  await becomes(false, newer);
  expect(errors).toEqual([]);
});

test('a byte order mark before the keys is ignored', async () => {
  const { accepted } = await follow(`\ufeff${keySetOf(oldKey)}`);
  expect(await accepted(issue(oldKey))).toBe(true);
});

const { d } = JSON.parse(privateKeySetOf(newerKey)).keys[0];
const noKeySet = 'it is not a JSON Web Key Set: give {"keys": […]} with the public keys (RFC 7517 section 5)';
test.each([
  ['empty', '', noKeySet],
  ['malformed', `{"keys": [${d}`, noKeySet],
  ['something else', `{"${d}": []}`, noKeySet],
  ['a list of something else', `{"keys": ["${d}"]}`, noKeySet],
  ...(['RS256', 'ES256', 'Ed25519'] as const).map((alg) => [
    `one with a private key (${alg})`,
    JSON.stringify({ keys: [oldKey.jwk, { ...newKey(alg).jwk, d }] }),
    'it has a private key (one with a "d"): publish only the public members, and have the issuer replace this key, since anybody who has seen it can sign tokens',
  ]),
])('a file that is %s: opening throws, and says why; later the known keys stay in use', async (_, text, reason) => {
  await expect(follow(text)).rejects.toThrow(`: ${reason}; the service needs it to start`);
  const { path, errors, becomes } = await follow(keySetOf(oldKey));
  await save(path, text);
  await expect.poll(() => errors[0], { timeout: 60_000 }).toBe(`${path}: ${reason}; its former contents stay in use`);
  await becomes(true, issue(oldKey));
});

test('a file that is deleted: every JWT is rejected until it is back', async () => {
  const { path, errors, accepted, becomes } = await follow(keySetOf(oldKey));
  const token = issue(oldKey);
  expect(await accepted(token)).toBe(true);
  await rm(path);
  await becomes(false, token);
  expect(errors[0]).toBe(`${path}: it cannot be read (ENOENT); it counts as empty until it is back`);
  await save(path, keySetOf(oldKey));
  await becomes(true, token);
});
