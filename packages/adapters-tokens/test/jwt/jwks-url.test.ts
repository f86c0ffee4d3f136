import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type JwksUrlOptions, jwtVerifier, openJwksUrl } from '@plant-store/adapters-tokens/jwt';
import { VerifierUnavailable } from '@plant-store/domain';
import { describe, expect, test } from 'vitest';
import { audience, issue, issuer } from './fixed-verifier.ts';
import { type Issuer, type Lifetime, startIssuer, withText } from './issuer.ts';
import { keySetOf, newKey, privateKeySetOf } from './signing-key.ts';

const [oldKey, newerKey] = [newKey('ES256'), newKey('ES256')];

/** A busy machine may be slow. */
const patiently = { timeout: 60_000, interval: 5 };

/** Follows an issuer with short times, and collects the reported errors. */
function follow({ onTestFinished }: Lifetime, { url }: Issuer, options: Partial<JwksUrlOptions> = {}) {
  const errors: VerifierUnavailable[] = [];
  const onError = (error: VerifierUnavailable) => void errors.push(error);
  const keys = openJwksUrl({ url, onError, refreshMs: 60_000, cooldownMs: 100, timeoutMs: 60_000, ...options });
  onTestFinished(() => keys.close());
  const verifier = jwtVerifier({ keys, issuer, audience });
  return { keys, errors, verifier, accepted: async (token: string) => (await verifier.verify(token)).accepted };
}

describe('keys are fetched', () => {
  test('once for any number of concurrent tokens, the first ones included', async (context) => {
    const server = await startIssuer(context, oldKey, newerKey);
    const { accepted, errors } = follow(context, server);
    const tokens = Array.from({ length: 50 }, (_, at) => issue(at % 2 ? oldKey : newerKey));
    expect(await Promise.all(tokens.map(accepted))).toEqual(tokens.map(() => true));
    expect(server.requests()).toBe(1);
    expect(errors).toEqual([]);
  });

  test('again for a token with an unknown key, which may be new', async (context) => {
    const server = await startIssuer(context, oldKey);
    const { accepted } = follow(context, server, { cooldownMs: 50 });
    expect(await accepted(issue(oldKey))).toBe(true);
    server.publish(oldKey, newerKey);
    await sleep(60);
    expect(await accepted(issue(newerKey))).toBe(true);
    expect(server.requests()).toBe(2);
  });

  test('not again within the cooldown, whatever clients send', async (context) => {
    const server = await startIssuer(context, oldKey);
    const { accepted } = follow(context, server, { cooldownMs: 60_000 });
    const good = issue(oldKey);
    expect(await accepted(good)).toBe(true);
    const unknown = Array.from({ length: 500 }, () => issue(newKeyNamed()));
    expect(await Promise.all(unknown.map(accepted))).toEqual(unknown.map(() => false));
    for (const token of unknown.slice(0, 50)) expect(await accepted(token)).toBe(false);
    expect(await accepted(good)).toBe(true);
    expect(server.requests()).toBe(1);
  });

  test('at most once per cooldown under constant load, even if fetching fails', async (context) => {
    const server = await startIssuer(context, oldKey);
    const { verifier } = follow(context, server, { cooldownMs: 200 });
    await verifier.verify(issue(oldKey));
    server.respondWith(withText('', 500));
    const began = performance.now();
    while (server.requests() < 5) await verifier.verify(issue(newKeyNamed())).catch(() => {});
    // The first fetch, then at most one every 200 ms.
    expect(server.requests()).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - began) / 200));
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
    server.publish(newerKey);
    await expect.poll(() => accepted(newer), patiently).toBe(true);
  });

  test('again; if they are unchanged, tokens stay cached', async (context) => {
    const server = await startIssuer(context, oldKey);
    const { keys, verifier } = follow(context, server, { refreshMs: 20, cooldownMs: 20 });
    await verifier.verify(issue(oldKey));
    const { known } = keys;
    await expect.poll(server.requests, patiently).toBeGreaterThan(3);
    expect(keys.known).toBe(known);
  });

  test('not after close', async (context) => {
    const server = await startIssuer(context, oldKey);
    const { keys, accepted } = follow(context, server, { refreshMs: 20, cooldownMs: 20 });
    expect(await accepted(issue(oldKey))).toBe(true);
    keys.close();
    await sleep(50);
    const before = server.requests();
    await sleep(200);
    expect(server.requests()).toBe(before);
  });

  test('until close, which aborts a fetch in flight without reporting an error', async (context) => {
    const server = await startIssuer(context, oldKey);
    const reached = new Promise<void>((resolve) => {
      server.respondWith((response) => {
        resolve();
        response.on('close', () => hungUp.push(true));
      });
    });
    const hungUp: boolean[] = [];
    const { keys, errors } = follow(context, server, { timeoutMs: 60_000 });
    await reached;
    keys.close();
    await expect.poll(() => hungUp, patiently).toEqual([true]);
    await sleep(50);
    expect(errors).toEqual([]);
  });
});

/** For fetches that never complete. With a shorter one, a good fetch might time out on a busy machine. */
const timeoutMs = 1_000;

const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));

/** How an issuer may fail, what is reported, and the timeout if the fetch would never complete. */
const failures: readonly [string, (server: Issuer) => unknown, RegExp, number?][] = [
  ['is down', (server) => server.goAway(), /no response \(ECONNREFUSED\)/],
  ['responds with 500', (server) => server.respondWith(withText('', 500)), /status 500 instead of 200/],
  ['responds with 404 and a key set', (server) => server.respondWith(withText(keySetOf(newerKey), 404)), /status 404/],
  ['responds with HTML', (server) => server.respondWith(withText('<html>hunter2')), /it is not a JSON Web Key Set/],
  [
    'publishes a private key',
    (server) => server.respondWith(withText(privateKeySetOf(oldKey))),
    /key 1 in it is a private key \(it has a "d"\): publish only the public members/,
  ],
  ['hangs', (server) => server.respondWith(() => {}), /no complete response within 1000 ms/, timeoutMs],
  [
    'responds byte by byte',
    (server) =>
      server.respondWith((response) => {
        const timer = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(timer));
      }),
    /no complete response within 1000 ms/,
    timeoutMs,
  ],
  [
    'closes the connection',
    (server) => server.respondWith((response) => response.destroy()),
    /no response \(UND_ERR_SOCKET\)/,
  ],
  [
    'sends an endless response',
    (server) =>
      server.respondWith((response) => {
        const more = () => void (response.write(' '.repeat(65_536)) && setImmediate(more));
        response.on('drain', more);
        more();
      }),
    /larger than 262144 bytes/,
  ],
  [
    'sends a decompression bomb',
    (server) => server.respondWith((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)),
    /larger than 262144 bytes/,
  ],
];

// Most of them wait.
describe.concurrent.each(failures)('an issuer that %s', (failure, fail, reason, timeoutMs = 60_000) => {
  test('at start: verifying throws VerifierUnavailable in time until the keys have been fetched', async (context) => {
    const { expect } = context;
    const server = await startIssuer(context, oldKey);
    await fail(server);
    const { keys, verifier, errors, accepted } = follow(context, server, { timeoutMs });
    const good = issue(oldKey);
    // In time: without a timeout, some would never settle.
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => verifier.verify(good)));
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(VerifierUnavailable) });
    }
    // A token that is not a JWT, or could never be accepted, is rejected nevertheless.
    expect(await accepted('stranger')).toBe(false);
    expect(await accepted(`eyJhbGciOiJub25lIn0.e30.${good.split('.')[2]}`)).toBe(false);
    expect(errors[0]?.message).toMatch(reason);
    expect(errors[0]?.message).toMatch(/; no key is known, so no JWT can be verified yet$/);
    expect(errors[0]?.message).not.toContain('hunter2');

    server.publish(oldKey);
    await server.comeBack();
    // Without a token that triggers the fetch.
    await expect.poll(() => keys.known, patiently).toBeDefined();
    expect(await accepted(good)).toBe(true);
  });

  test('later: the known keys stay in use, even for new tokens, and the failure is reported once', async (context) => {
    const { expect } = context;
    const server = await startIssuer(context, oldKey);
    const { verifier, errors, accepted } = follow(context, server, { refreshMs: 50, cooldownMs: 50, timeoutMs });
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
    await expect(verifier.verify(issue(newerKey))).rejects.toThrow(VerifierUnavailable);
    expect(reported()).toEqual([expect.stringMatching(reason)]);
    expect(reported()[0]).toMatch(/; the known keys stay in use$/);

    server.publish(newerKey);
    await server.comeBack();
    await expect.poll(() => isAccepted(verifier.verify(issue(newerKey))), patiently).toBe(true);
    expect(await accepted(good)).toBe(false);
  });
});

describe.each(['at start', 'later'])('while an issuer hangs, %s', (when) => {
  test('a limited number of tokens wait for it; once it responds, others can wait again', async (context) => {
    const server = await startIssuer(context, oldKey);
    const hanging = () =>
      new Promise<() => void>((resolve) => {
        server.respondWith((response) => resolve(() => withText(keySetOf(oldKey, newerKey))(response)));
      });
    const start = when === 'at start' ? hanging() : undefined;
    const { verifier, accepted } = follow(context, server, { cooldownMs: 1, timeoutMs: 60_000, maxWaiting: 3 });
    if (!start) expect(await accepted(issue(oldKey))).toBe(true);
    await sleep(5);
    const requested = start ?? hanging();
    const waiting = Array.from({ length: 3 }, () => verifier.verify(issue(newKeyNamed())));
    const respond = await requested;

    await expect(verifier.verify(issue(newKeyNamed()))).rejects.toThrow(/: 3 tokens are waiting already; /);
    await expect(verifier.verify(issue(newerKey))).rejects.toThrow(VerifierUnavailable);
    // Tokens that need no fetch are verified as usual.
    expect(await accepted('stranger')).toBe(false);
    if (!start) expect(await accepted(issue(oldKey, { sub: 'florist' }))).toBe(true);

    respond();
    expect(await Promise.all(waiting)).toMatchObject(waiting.map(() => ({ accepted: false })));
    server.publish(oldKey, newerKey);
    expect(await accepted(issue(newerKey))).toBe(true);
    const more = Array.from({ length: 3 }, () => accepted(issue(newKeyNamed())));
    expect(await Promise.all(more)).toEqual([false, false, false]);
  });
});

test('a redirect is not followed', async (context) => {
  const [elsewhere, server] = [await startIssuer(context, oldKey), await startIssuer(context)];
  server.respondWith((response) => response.writeHead(302, { location: elsewhere.url }).end());
  const { verifier, errors } = follow(context, server);
  await expect(verifier.verify(issue(oldKey))).rejects.toThrow(VerifierUnavailable);
  expect(errors[0]?.message).toMatch(/status 302/);
  expect(elsewhere.requests()).toBe(0);
});

test('a failure is reported with the URL of the key set, without its secret parts', async (context) => {
  const server = await startIssuer(context);
  await server.goAway();
  const { errors } = follow(context, { ...server, url: `${server.url}?code=hunter2#hunter2` });
  await expect.poll(() => errors.length, patiently).toBe(1);
  expect(errors[0]?.message).toContain(`JWKS at ${server.url}: `);
  expect(errors[0]?.message).not.toContain('hunter2');
  // For the log of whoever looks for the reason.
  expect(errors[0]?.cause).toHaveProperty('cause.cause.code', 'ECONNREFUSED');
});

test('a key set is asked for as what it is', async (context) => {
  const server = await startIssuer(context);
  const accept = new Promise((resolve) => {
    server.respondWith((response) => {
      resolve(response.req.headers.accept);
      withText(keySetOf(oldKey))(response);
    });
  });
  follow(context, server);
  expect(await accept).toBe('application/jwk-set+json, application/json');
});

test('an unsafe URL is rejected', () => {
  expect(() => openJwksUrl({ url: 'http://issuer.example/jwks', onError: () => {} })).toThrow(RangeError);
});

let named = 0;
/** The same key under a new name: generating a key each time would be slow. */
function newKeyNamed() {
  named += 1;
  return { ...newerKey, kid: `unknown-${named}` };
}

/** Whether the token is accepted; false also while the verifier cannot decide. */
async function isAccepted(verdict: Promise<{ accepted: boolean }>): Promise<boolean> {
  return verdict.then(({ accepted }) => accepted).catch(() => false);
}
