import type { KeySource } from '@plant-store/adapters-tokens/jwt';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { issue, keySource, nowInSeconds, subjectOf, verifierWith } from './fixed-verifier.ts';
import { newKey } from './signing-key.ts';

const key = newKey('ES256');

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T12:00:00Z') }));
afterEach(() => void vi.useRealTimers());

/** A verifier whose keys can be replaced, and that counts lookups: one for each verification. */
function counting(rememberedTokens = 10) {
  let source = keySource([key]);
  const lookups = vi.fn();
  const keys: KeySource = {
    ...source,
    find(...header) {
      lookups();
      return source.find(...header);
    },
    get revision() {
      return source.revision;
    },
  };
  const { verify } = verifierWith([], { keys, rememberedTokens });
  return { verify, lookups, exchange: (...others: readonly (typeof key)[]) => (source = keySource(others)) };
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
  exchange(newKey('ES256'));
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

test('a token that is too long is not even looked up', async () => {
  const { verify, lookups } = counting();
  expect(await verify(issue(key, { pad: 'x'.repeat(6_000) }))).toMatchObject({ accepted: false });
  expect(lookups).not.toHaveBeenCalled();
});
