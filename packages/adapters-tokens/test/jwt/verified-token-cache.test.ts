import type { JWTVerifyGetKey } from 'jose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parseKeySet } from '../../src/jwt/key-set.ts';
import { issue, nowInSeconds, subjectOf, verifierWith } from './fixed-verifier.ts';
import { keySetOf, newKey, type SigningKey } from './signing-key.ts';

const key = newKey('ES256');

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T12:00:00Z') }));
afterEach(() => void vi.useRealTimers());

/** A verifier whose keys can be replaced, and that counts lookups: one for each verification. */
function counting(rememberedTokens = 10) {
  const lookups = vi.fn();
  const find = (...keys: readonly SigningKey[]): JWTVerifyGetKey => {
    const known = parseKeySet(keySetOf(...keys));
    return (...header) => {
      lookups();
      return known(...header);
    };
  };
  const keys = { current: find(key), close: () => {} };
  const { verify } = verifierWith([], { keys, rememberedTokens });
  const exchange = (...others: readonly SigningKey[]) => {
    keys.current = find(...others);
  };
  return { verify, lookups, exchange };
}

test('each token is verified once', async () => {
  const { verify, lookups } = counting();
  const tokens = ['gardener', 'florist'].map((sub) => [issue(key, { sub }), subjectOf(sub)] as const);
  for (const [token, subject] of [...tokens, ...tokens, ...tokens])
    expect(await verify(token)).toEqual({ accepted: true, subject });
  expect(lookups).toHaveBeenCalledTimes(2);
});

test('is not cached beyond its exp: within the clock skew it is verified again', async () => {
  const { verify, lookups } = counting();
  const token = issue(key, { exp: nowInSeconds() + 10 });
  for (const [passedMs, accepted, count] of [
    [0, true, 1],
    [9_999, true, 1],
    [1, true, 2],
    [60_000, false, 2],
  ] as const) {
    vi.setSystemTime(Date.now() + passedMs);
    expect(await verify(token)).toMatchObject({ accepted });
    if (accepted) expect(lookups).toHaveBeenCalledTimes(count);
  }
});

test('is evicted when its key is withdrawn, and verified again when other keys change', async () => {
  const { verify, lookups, exchange } = counting();
  const token = issue(key);
  await verify(token);
  exchange(key, newKey('ES256'));
  expect(await verify(token)).toMatchObject({ accepted: true });
  expect(lookups).toHaveBeenCalledTimes(2);
  const newer = newKey('ES256');
  exchange(newer);
  expect(await verify(token)).toMatchObject({ accepted: false });
  // Tokens of the new keys do not bring it back.
  expect(await verify(issue(newer))).toMatchObject({ accepted: true });
  expect(await verify(token)).toMatchObject({ accepted: false });
});

test('is not cached with keys that were replaced while it was verified', async () => {
  const { verify, exchange } = counting();
  const token = issue(key);
  const verifying = verify(token);
  exchange(newKey('ES256'));
  await verifying;
  expect(await verify(token)).toMatchObject({ accepted: false });
});

test('the cache is bounded: the oldest entry is evicted first', async () => {
  const { verify, lookups } = counting(2);
  const [first = '', ...others] = ['one', 'two', 'three'].map((sub) => issue(key, { sub }));
  for (const token of [first, ...others, ...others]) await verify(token);
  expect(lookups).toHaveBeenCalledTimes(3);
  expect(await verify(first)).toEqual({ accepted: true, subject: subjectOf('one') });
  expect(lookups).toHaveBeenCalledTimes(4);
});

test('a rejected token evicts no entry and is not cached', async () => {
  const { verify, lookups } = counting(1);
  const [token, expired] = [issue(key), issue(key, { exp: 1 })];
  for (const each of [token, expired, expired, expired, token]) await verify(each);
  expect(lookups).toHaveBeenCalledTimes(4);
});
