import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { anyVerifier, digestVerifier, newToken, parseJwksUrl, parseTokenList } from '@plant-store/adapters-tokens';
import { type JwksUrlOptions, jwtVerifier, openJwksUrl } from '@plant-store/adapters-tokens/jwt';
import { VerifierUnavailable } from '@plant-store/domain';
import { expect, onTestFinished, type TestContext, test } from 'vitest';
import { type Issuer, startIssuer, withText } from './issuer.ts';
import { audience, claims, issue, issuer, keySetOf, named, newKey, signed } from './jwts.ts';

const [oldKey, newerKey] = [newKey('ES256'), newKey('ES256')];
const opaque = newToken().token;
/** A busy machine may be slow. */
const patiently = { timeout: 60_000, interval: 5 };

/** Follows an issuer with short times, beside an opaque token, and collects the reported errors. */
function follow(url: string, onTestFinished: TestContext['onTestFinished'], options: Partial<JwksUrlOptions> = {}) {
  const errors: VerifierUnavailable[] = [];
  const onError = (error: VerifierUnavailable) => void errors.push(error);
  const keys = openJwksUrl({ url, onError, refreshMs: 60_000, cooldownMs: 100, timeoutMs: 60_000, ...options });
  onTestFinished(() => keys.close());
  const digests = digestVerifier([{ digests: parseTokenList(opaque) }]);
  const { verify } = anyVerifier([digests, jwtVerifier({ keys, issuer, audience })]);
  return { keys, errors, verify, accepted: async (token: string) => (await verify(token)).accepted };
}

test.each([
  ['https://issuer.example:8443/keys?tenant=a', true],
  ['http://127.1.2.3:1/jwks', true],
  ['http://notlocalhost/jwks', false],
  ['http://localhost@issuer.example/jwks', false],
  ['https://user:hunter2@issuer.example/jwks', false],
  ['file:///etc/issuer.json', false],
])('keys may come from %s: %s; the message does not repeat it', (url, safe) => {
  if (safe) return expect(parseJwksUrl(url).href).toBe(url);
  const open = () => openJwksUrl({ url, onError: () => {} });
  expect(open).toThrow(/^expected https:\/\/… without a user and a password, or http:\/\/… on this machine/);
  expect(open).not.toThrow(/hunter2|issuer/);
});

const renewed = named(oldKey.kid, newerKey);

test.each([
  ['names an unknown key', [oldKey, newerKey], issue(newerKey), true],
  ['names an old key, whose kid a new one has', [renewed], issue(renewed), false],
  ['names no key', [newerKey], signed(newerKey, { alg: 'ES256' }, claims()), false],
])('keys are fetched for a token that no known key verifies: it %s', async (_, published, token, oldStays) => {
  const server = await startIssuer(onTestFinished, oldKey);
  const { accepted } = follow(server.url, onTestFinished, { cooldownMs: 1 });
  const old = issue(oldKey);
  expect(await accepted(old)).toBe(true);
  server.publish(...published);
  await sleep(5);
  expect(await accepted(token)).toBe(true);
  expect(server.requests()).toBe(2);
  expect(await accepted(old)).toBe(oldStays);
});

test('keys are fetched at most once per cooldown, whatever clients send', async () => {
  const server = await startIssuer(onTestFinished, oldKey);
  const { verify, accepted } = follow(server.url, onTestFinished, { cooldownMs: 200 });
  expect(await accepted(issue(oldKey))).toBe(true);
  const began = performance.now();
  const strangers = ['one', 'two', 'three'].map((kid) => issue(named(kid, newerKey)));
  for (; server.requests() < 4; await sleep(1)) await Promise.allSettled([...strangers, issue(renewed)].map(verify));
  // The first fetch, then at most one every 200 ms.
  expect(server.requests()).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - began) / 200));
});

test('keys are fetched periodically: a token with a withdrawn key is rejected, even if it is cached', async () => {
  const server = await startIssuer(onTestFinished, oldKey);
  const { keys, accepted } = follow(server.url, onTestFinished, { refreshMs: 20 });
  const old = issue(oldKey);
  expect(await accepted(old)).toBe(true);
  const { current } = keys;
  await expect.poll(server.requests, patiently).toBeGreaterThan(3);
  // Tokens stay cached while the keys are the same.
  expect(keys.current).toBe(current);
  // An empty key set is valid: the issuer has withdrawn all keys.
  server.publish();
  await expect.poll(() => accepted(old), patiently).toBe(false);
});

const respond = (how: (response: ServerResponse) => unknown) => (server: Issuer) => server.respondWith(how);
const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));
/** For fetches that never complete. With a shorter one, a good fetch might time out on a busy machine. */
const timeoutMs = 1_000;

/** How an issuer may fail, what is reported, and the timeout if the fetch would never complete. */
const failures: readonly [string, (server: Issuer) => unknown, RegExp, number?][] = [
  [
    'is down',
    (server) => server.goAway(),
    /no response \(ECONNREFUSED\); for a proxy set NODE_USE_ENV_PROXY=1 and HTTPS_PROXY, for a private CA NODE_EXTRA_CA_CERTS; /,
  ],
  // If it were followed, it would not end.
  ['redirects', respond((to) => to.writeHead(302, { location: '/jwks' }).end()), /status 302 instead of 200/],
  ['responds with 500 and a key set', respond(withText(keySetOf(newerKey), 500)), /status 500 instead of 200/],
  ['responds with HTML', respond(withText('<html>hunter2')), /: Failed to parse the JSON Web Key Set HTTP response/],
  ['responds byte by byte', respond(byteByByte), /no response \(timeout\)/, timeoutMs],
  [
    'sends a decompression bomb',
    respond((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)),
    /larger than 262144 bytes/,
  ],
];

// Most of them wait.
test.concurrent.for(failures)('an issuer that %s: known keys stay in use', async (row, { expect, onTestFinished }) => {
  const [, fail, reason, timeoutMs = 60_000] = row;
  const server = await startIssuer(onTestFinished, oldKey);
  await fail(server);
  const times = { refreshMs: 50, cooldownMs: 50, timeoutMs };
  const { keys, verify, errors, accepted } = follow(`${server.url}?code=hunter2`, onTestFinished, times);
  // A fetch that was cut off when the issuer went away has its own reason.
  const reported = () => errors.map(String).filter((error) => !/\((UND_ERR_SOCKET|ECONNRESET)\)/.test(error));
  const good = issue(oldKey);
  // In time: without a timeout, some would never settle.
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => verify(good)));
  for (const result of results) expect(result).toHaveProperty('reason', expect.any(VerifierUnavailable));
  // Other tokens are verified, and one that could never be accepted is rejected.
  expect(await accepted(opaque)).toBe(true);
  expect(await accepted(`eyJhbGciOiJub25lIn0.e30.${good.split('.')[2]}`)).toBe(false);
  expect(reported()).toEqual([expect.stringMatching(reason)]);
  expect(reported()[0]).toMatch(/: JWKS at http:.*\/jwks: .*; no key is known, so no JWT can be verified yet$/);

  server.respondWith(withText(`\ufeff${keySetOf(oldKey)}`));
  await server.comeBack();
  // Without a token that triggers the fetch.
  await expect.poll(() => keys.current, patiently).toBeDefined();
  expect(await accepted(good)).toBe(true);

  await fail(server);
  await expect.poll(() => reported().length, patiently).toBe(2);
  await sleep(200);
  expect(await accepted(issue(oldKey, { sub: 'florist' }))).toBe(true);
  // The issuer may have published this one by now.
  await expect(verify(issue(newerKey))).rejects.toThrow(VerifierUnavailable);
  // Once, however often it was tried.
  expect(reported()).toHaveLength(2);
  expect(reported()[1]).toMatch(reason);
  expect(reported()[1]).toMatch(/; the known keys stay in use$/);
  expect(reported().join()).not.toContain('hunter2');
});

function byteByByte(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
}
