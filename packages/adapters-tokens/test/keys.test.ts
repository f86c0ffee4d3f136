import { isJwksUrl } from '@plant-store/adapters-tokens';
import { type JwksUrlOptions, jwtVerifier, openJwksUrl } from '@plant-store/adapters-tokens/jwt';
import { VerifierUnavailable } from '@plant-store/domain';
import { expect, onTestFinished, test } from 'vitest';
import { startIssuer, withText } from './issuer.ts';
import { audience, issue, issuer, makeKeySet, newKey } from './jwts.ts';

const [oldKey, newerKey] = [newKey('ES256'), newKey('ES256')];
/** A busy machine may be slow. */
const patiently = { timeout: 60_000, interval: 5 };

/** Follows an issuer, and collects the reported errors. Each token is a new one, so that none is remembered. */
function follow(url: string, options: Partial<JwksUrlOptions> = {}) {
  const errors: string[] = [];
  const keys = openJwksUrl({ url, onError: ({ message }) => void errors.push(message), ...options });
  onTestFinished(() => keys.close());
  const { verify } = jwtVerifier({ keys, issuer, audience });
  let sub = 0;
  const accepted = async (key: typeof oldKey) => (await verify(issue(key, { sub: `client ${sub++}` }))).accepted;
  return { errors, accepted };
}

test.each([
  ['https://issuer.example:8443/keys?tenant=a', true],
  ['http://127.1.2.3:1/jwks', true],
  ['http://notlocalhost/jwks', false],
  ['http://localhost@issuer.example/jwks', false],
  ['https://user:hunter2@issuer.example/jwks', false],
  ['file:///etc/issuer.json', false],
])('keys may come from %s: %s', (url, isSafe) => {
  expect(isJwksUrl(url)).toBe(isSafe);
});

test('a new key is fetched for the first token that names it, and a withdrawn one is refused after a renewal', async () => {
  const server = await startIssuer(onTestFinished, makeKeySet(oldKey));
  const { accepted } = follow(server.url, { refreshMs: 50, cooldownMs: 0 });
  expect(await accepted(oldKey)).toBe(true);
  server.respondWith(withText(makeKeySet(newerKey)));
  expect(await accepted(newerKey)).toBe(true);
  expect(await accepted(oldKey)).toBe(false);
  // Without a token that has them fetched.
  server.respondWith(withText(makeKeySet()));
  await expect.poll(() => accepted(newerKey), patiently).toBe(false);
});

test('strangers cannot have keys fetched during the cooldown', async () => {
  const server = await startIssuer(onTestFinished, makeKeySet(oldKey));
  const { accepted } = follow(server.url, { cooldownMs: 600_000 });
  expect(await accepted(oldKey)).toBe(true);
  for (let tries = 0; tries < 20; tries += 1) expect(await accepted(newKey('ES256'))).toBe(false);
  expect(server.requests()).toBe(1);
});

test('an issuer that takes longer than a token waits: the first tokens get an error, later ones are accepted', async () => {
  const server = await startIssuer(onTestFinished, makeKeySet(oldKey));
  const { promise: waited, resolve: respond } = Promise.withResolvers<void>();
  server.respondWith((response) => void waited.then(() => withText(makeKeySet(oldKey))(response)));
  const { accepted, errors } = follow(server.url);
  await expect(accepted(oldKey)).rejects.toThrow(VerifierUnavailable);
  respond();
  await expect.poll(() => accepted(oldKey).catch(() => false), patiently).toBe(true);
  expect([server.requests(), errors]).toEqual([1, []]);
});

test.each<[what: string, fail: Parameters<Awaited<ReturnType<typeof startIssuer>>['respondWith']>[0], reason: RegExp]>([
  ['breaks off', (response) => response.destroy(), /\(UND_ERR_SOCKET\); .*NODE_USE_ENV_PROXY=1 and HTTPS_PROXY/],
  ['redirects', (response) => response.writeHead(302, { location: '/v2/jwks?code=hunter2' }).end(), /\/v2\/jwks: set/],
  ['responds with 500 and a key set', withText(makeKeySet(newerKey), 500), /status 500 instead of 200/],
  ['responds with HTML', withText('<html>hunter2'), /it is not a JSON Web Key Set/],
])('an issuer that %s: known keys stay in use, and the message says why', async (_, fail, reason) => {
  const server = await startIssuer(onTestFinished, makeKeySet(oldKey));
  const { accepted, errors } = follow(`${server.url}?code=hunter2`, { refreshMs: 50, cooldownMs: 0 });
  expect(await accepted(oldKey)).toBe(true);
  server.respondWith(fail);
  await expect.poll(() => errors[0], patiently).toMatch(reason);
  expect(await accepted(oldKey)).toBe(true);
  // The issuer may have published this one by now.
  await expect(accepted(newerKey)).rejects.toThrow(VerifierUnavailable);
  expect(errors.join()).not.toContain('hunter2');
});
