import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type JwksUrlOptions, jwtVerifier, openJwksUrl } from '@plant-store/adapters-tokens/jwt';
import { VerifierUnavailable } from '@plant-store/domain';
import { describe, expect, onTestFinished, test } from 'vitest';
import { audience, claims, issue, issuer } from './fixed-verifier.ts';
import { type Issuer, type Lifetime, startIssuer, withText } from './issuer.ts';
import { keySetOf, newKey, privateKeySetOf, signed } from './signing-key.ts';

const [oldKey, newerKey] = [newKey('ES256'), newKey('ES256')];

/** A busy machine may be slow. */
const patiently = { timeout: 60_000, interval: 5 };

/** Follows an issuer with short times, and collects the reported errors. */
function follow({ onTestFinished }: Lifetime, { url }: Issuer, options: Partial<JwksUrlOptions> = {}) {
  const errors: VerifierUnavailable[] = [];
  const onError = (error: VerifierUnavailable) => void errors.push(error);
  const keys = openJwksUrl({ url, onError, refreshMs: 60_000, cooldownMs: 100, timeoutMs: 60_000, ...options });
  onTestFinished(() => keys.close());
  const { verify } = jwtVerifier({ keys, issuer, audience });
  return { keys, errors, verify, accepted: async (token: string) => (await verify(token)).accepted };
}

describe('keys are fetched', () => {
  test('once for any number of concurrent tokens', async (context) => {
    const server = await startIssuer(context, oldKey, newerKey);
    const { accepted, errors } = follow(context, server);
    const tokens = Array.from({ length: 50 }, (_, at) => issue(at % 2 ? oldKey : newerKey));
    expect(await Promise.all(tokens.map(accepted))).toEqual(tokens.map(() => true));
    expect(server.requests()).toBe(1);
    expect(errors).toEqual([]);
  });

  const renewed = { ...newerKey, kid: oldKey.kid, jwk: { ...newerKey.jwk, kid: oldKey.kid } };
  test.each([
    ['names an unknown key', [oldKey, newerKey], issue(newerKey), true],
    ['names an old key, whose kid a new one has', [renewed], issue(renewed), false],
    ['names no key', [newerKey], signed(newerKey, { alg: 'ES256' }, claims()), false],
  ])('again for a token that no known key verifies: it %s', async (_, published, token, oldStays) => {
    const context = { onTestFinished };
    const server = await startIssuer(context, oldKey);
    const { accepted } = follow(context, server, { cooldownMs: 1 });
    const old = issue(oldKey);
    expect(await accepted(old)).toBe(true);
    server.publish(...published);
    await sleep(5);
    expect(await accepted(token)).toBe(true);
    expect(server.requests()).toBe(2);
    expect(await accepted(old)).toBe(oldStays);
  });

  test('and a byte order mark before them is ignored', async (context) => {
    const server = await startIssuer(context);
    server.respondWith(withText(`\ufeff${keySetOf(oldKey)}`));
    expect(await follow(context, server).accepted(issue(oldKey))).toBe(true);
  });

  test.each([200, 500])('at most once per cooldown, whatever clients send, with status %d', async (status) => {
    const context = { onTestFinished };
    const server = await startIssuer(context, oldKey);
    const { verify, accepted } = follow(context, server, { cooldownMs: 200 });
    const good = issue(oldKey);
    expect(await accepted(good)).toBe(true);
    server.respondWith(withText(keySetOf(oldKey), status));
    const began = performance.now();
    while (server.requests() < 5)
      await Promise.allSettled(
        Array.from({ length: 20 }, (_, at) => verify(issue(at % 2 ? newKeyNamed() : { ...newerKey, kid: oldKey.kid }))),
      );
    // The first fetch, then at most one every 200 ms.
    expect(server.requests()).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - began) / 200));
    expect(await accepted(good)).toBe(true);
  });

  test('periodically: a token with a withdrawn key is rejected, even if it is cached', async (context) => {
    const server = await startIssuer(context, oldKey, newerKey);
    const { accepted } = follow(context, server, { refreshMs: 100 });
    const [old, newer] = [issue(oldKey), issue(newerKey)];
    expect([await accepted(old), await accepted(newer)]).toEqual([true, true]);
    server.publish(newerKey);
    await expect.poll(() => accepted(old), patiently).toBe(false);
    expect(await accepted(newer)).toBe(true);
    // An empty key set is valid: the issuer has withdrawn all keys.
    server.publish();
    await expect.poll(() => accepted(newer), patiently).toBe(false);
  });

  test('again; if they are unchanged, tokens stay cached; not after close', async (context) => {
    const server = await startIssuer(context, oldKey);
    const { keys, accepted } = follow(context, server, { refreshMs: 20, cooldownMs: 20 });
    expect(await accepted(issue(oldKey))).toBe(true);
    const { current } = keys;
    await expect.poll(server.requests, patiently).toBeGreaterThan(3);
    expect(keys.current).toBe(current);
    keys.close();
    await sleep(50);
    const before = server.requests();
    await sleep(200);
    expect(server.requests()).toBe(before);
  });

  test('until close, which aborts a fetch in flight without reporting an error', async (context) => {
    const server = await startIssuer(context, oldKey);
    const response = nextResponse(server);
    const { keys, errors } = follow(context, server);
    const { promise: hungUp, resolve } = Promise.withResolvers<void>();
    (await response).on('close', resolve);
    keys.close();
    await hungUp;
    await sleep(50);
    expect(errors).toEqual([]);
  });
});

/** For fetches that never complete. With a shorter one, a good fetch might time out on a busy machine. */
const timeoutMs = 1_000;

const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));
const respond = (how: (response: ServerResponse) => unknown) => (server: Issuer) => server.respondWith(how);

/** How an issuer may fail, what is reported, and the timeout if the fetch would never complete. */
const failures: readonly [string, (server: Issuer) => unknown, RegExp, number?][] = [
  [
    'is down',
    (server) => server.goAway(),
    /no response \(ECONNREFUSED\); for a proxy set NODE_USE_ENV_PROXY=1 and HTTPS_PROXY, for a private CA NODE_EXTRA_CA_CERTS; /,
  ],
  ['responds with 500', respond(withText('', 500)), /status 500 instead of 200/],
  // If it were followed, it would not end.
  [
    'redirects',
    respond((response) => response.writeHead(302, { location: '/jwks' }).end()),
    /status 302 instead of 200/,
  ],
  ['responds with 404 and a key set', respond(withText(keySetOf(newerKey), 404)), /status 404/],
  [
    'responds with HTML',
    respond(withText('<html>hunter2')),
    /: Failed to parse the JSON Web Key Set HTTP response as JSON; /,
  ],
  ['responds with other JSON', respond(withText('{"hunter2": []}')), /: JSON Web Key Set malformed; /],
  [
    'responds with UTF-16',
    respond((to) => to.end(Buffer.from(`\ufeff${keySetOf(newerKey)}`, 'utf16le'))),
    /is encoded in UTF-16: save/,
  ],
  ['publishes a private key', respond(withText(privateKeySetOf(oldKey))), /it has a private key/],
  ['hangs', respond(() => {}), /no response \(timeout\)/, timeoutMs],
  ['responds byte by byte', respond(byteByByte), /no response \(timeout\)/, timeoutMs],
  ['closes the connection', respond((response) => response.destroy()), /no response \(UND_ERR_SOCKET\)/],
  ['sends an endless response', respond(endlessly), /larger than 262144 bytes/],
  [
    'sends a decompression bomb',
    respond((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)),
    /larger than 262144 bytes/,
  ],
];

// Most of them wait.
describe.concurrent.each(failures)('an issuer that %s', (failure, fail, reason, timeoutMs = 60_000) => {
  test('at start: verifying throws VerifierUnavailable in time until the keys have been fetched', async (context) => {
    const { expect } = context;
    const server = await startIssuer(context, oldKey);
    await fail(server);
    const { keys, verify, errors, accepted } = follow(context, server, { timeoutMs });
    const good = issue(oldKey);
    // In time: without a timeout, some would never settle.
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => verify(good)));
    for (const result of results) expect(result).toHaveProperty('reason', expect.any(VerifierUnavailable));
    // A token that is not a JWT, or could never be accepted, is rejected nevertheless.
    expect(await accepted('stranger')).toBe(false);
    expect(await accepted(`eyJhbGciOiJub25lIn0.e30.${good.split('.')[2]}`)).toBe(false);
    expect(errors[0]?.message).toMatch(reason);
    expect(errors[0]?.message).toMatch(/; no key is known, so no JWT can be verified yet$/);
    expect(errors[0]?.message).not.toContain('hunter2');

    server.publish(oldKey);
    await server.comeBack();
    // Without a token that triggers the fetch.
    await expect.poll(() => keys.current, patiently).toBeDefined();
    expect(await accepted(good)).toBe(true);
  });

  test('later: the known keys stay in use, even for new tokens, and the failure is reported once', async (context) => {
    const { expect } = context;
    const server = await startIssuer(context, oldKey);
    const { verify, errors, accepted } = follow(context, server, { refreshMs: 50, cooldownMs: 50, timeoutMs });
    const good = issue(oldKey);
    expect(await accepted(good)).toBe(true);
    await fail(server);
    // A fetch that was cut off when the issuer went away has its own reason.
    const reported = () =>
      errors
        .map(({ message }) => message)
        .filter((message) => !(failure === 'is down' && /no response \((UND_ERR_SOCKET|ECONNRESET)\)/.test(message)));
    await expect.poll(reported, patiently).toHaveLength(1);
    await sleep(200);
    expect(await accepted(good)).toBe(true);
    expect(await accepted(issue(oldKey, { sub: 'florist' }))).toBe(true);
    // The issuer may have published this one by now.
    await expect(verify(issue(newerKey))).rejects.toThrow(VerifierUnavailable);
    expect(reported()).toEqual([expect.stringMatching(reason)]);
    expect(reported()[0]).toMatch(/; the known keys stay in use$/);

    server.publish(newerKey);
    await server.comeBack();
    await expect.poll(() => accepted(issue(newerKey)).catch(() => false), patiently).toBe(true);
    expect(await accepted(good)).toBe(false);
  });
});

test.each(['at start', 'later'])('%s, a limited number of tokens wait for an issuer that hangs', async (when) => {
  const context = { onTestFinished };
  const server = await startIssuer(context, oldKey);
  const start = when === 'at start' ? nextResponse(server) : undefined;
  const { verify, accepted } = follow(context, server, { cooldownMs: 1, maxWaiting: 3 });
  if (!start) expect(await accepted(issue(oldKey))).toBe(true);
  await sleep(5);
  const requested = start ?? nextResponse(server);
  const three = () => Promise.all(Array.from({ length: 3 }, () => accepted(issue(newKeyNamed()))));
  const waiting = three();
  const response = await requested;

  await expect(verify(issue(newKeyNamed()))).rejects.toThrow(/: 3 tokens are waiting already; /);
  await expect(verify(issue(newerKey))).rejects.toThrow(VerifierUnavailable);
  // Tokens that need no fetch are verified as usual.
  expect(await accepted('stranger')).toBe(false);
  if (!start) expect(await accepted(issue(oldKey, { sub: 'florist' }))).toBe(true);

  // Once it responds, others can wait again.
  withText(keySetOf(oldKey, newerKey))(response);
  expect(await waiting).toEqual([false, false, false]);
  server.publish(oldKey, newerKey);
  expect(await accepted(issue(newerKey))).toBe(true);
  expect(await three()).toEqual([false, false, false]);
});

test('a failure is reported with the URL of the key set, without its secret parts', async (context) => {
  const server = await startIssuer(context);
  await server.goAway();
  const { errors } = follow(context, { ...server, url: `${server.url}?code=hunter2#hunter2` });
  await expect.poll(() => errors.length, patiently).toBe(1);
  expect(errors[0]?.message).toContain(`JWKS at ${server.url}: `);
  expect(errors[0]?.message).not.toContain('hunter2');
  // For the log of whoever looks for the reason.
  expect(errors[0]?.cause).toHaveProperty('cause.code', 'ECONNREFUSED');
});

test('an unsafe URL is rejected', () => {
  expect(() => openJwksUrl({ url: 'http://issuer.example/jwks', onError: () => {} })).toThrow(RangeError);
});

/** The next response of the issuer, which hangs until it is written. */
function nextResponse(server: Issuer): Promise<ServerResponse> {
  return new Promise((resolve) => server.respondWith(resolve));
}

function byteByByte(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
}

function endlessly(response: ServerResponse): void {
  const more = () => void (response.write(' '.repeat(65_536)) && setImmediate(more));
  response.on('drain', more);
  more();
}

let named = 0;
/** The same key under a new name: generating a key each time would be slow. */
function newKeyNamed() {
  named += 1;
  return { ...newerKey, kid: `unknown-${named}` };
}
