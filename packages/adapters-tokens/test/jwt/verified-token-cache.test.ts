import type { KeySource } from '@plant-store/adapters-tokens/jwt';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { issue, keySource, nowInSeconds, subjectOf, verifierWith } from './fixed-verifier.ts';
import { newKey } from './signing-key.ts';

const key = newKey('ES256');

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T12:00:00Z') }));
afterEach(() => void vi.useRealTimers());

/** Keys that can be replaced, and that count lookups: one for each verification. */
function exchangeableKeys() {
  let known = keySource([key]).known;
  let lookups = 0;
  const counted = (): KeySource['known'] => {
    const set = known;
    return (
      set &&
      Object.assign(
        (...found: Parameters<typeof set>) => {
          lookups += 1;
          return set(...found);
        },
        { jwks: set.jwks },
      )
    );
  };
  let current = counted();
  return {
    keys: {
      get known() {
        return current;
      },
      renewed: async () => current ?? expect.unreachable(),
    } satisfies KeySource,
    lookups: () => lookups,
    exchange: (...keys: readonly (typeof key)[]) => {
      known = keySource(keys).known;
      current = counted();
    },
  };
}

test('each token is verified once', async () => {
  const { keys, lookups } = exchangeableKeys();
  const verifier = verifierWith([], { keys });
  const [one, other] = [issue(key), issue(key, { sub: 'florist' })];
  for (let time = 1; time <= 3; time += 1) {
    expect(await verifier.verify(one)).toEqual({ accepted: true, subject: subjectOf('gardener') });
    expect(await verifier.verify(other)).toEqual({ accepted: true, subject: subjectOf('florist') });
  }
  expect(lookups()).toBe(2);
});

test('is not cached beyond its exp: within the clock skew it is verified again', async () => {
  const { keys, lookups } = exchangeableKeys();
  const verifier = verifierWith([], { keys });
  const token = issue(key, { exp: nowInSeconds() + 10 });
  await verifier.verify(token);
  vi.setSystemTime(Date.now() + 9_999);
  expect(await verifier.verify(token)).toMatchObject({ accepted: true });
  expect(lookups()).toBe(1);
  vi.setSystemTime(Date.now() + 1);
  expect(await verifier.verify(token)).toMatchObject({ accepted: true });
  expect(lookups()).toBe(2);
  vi.setSystemTime(Date.now() + 60_000);
  expect(await verifier.verify(token)).toMatchObject({ accepted: false });
});

test('is evicted when its key is withdrawn, and verified again when other keys change', async () => {
  const { keys, lookups, exchange } = exchangeableKeys();
  const verifier = verifierWith([], { keys });
  const token = issue(key);
  await verifier.verify(token);
  exchange(key, newKey('ES256'));
  expect(await verifier.verify(token)).toMatchObject({ accepted: true });
  expect(lookups()).toBe(2);
  exchange(newKey('ES256'));
  expect(await verifier.verify(token)).toMatchObject({ accepted: false });
});

test('is not cached with keys that were replaced while it was verified', async () => {
  const { keys, exchange } = exchangeableKeys();
  const verifier = verifierWith([], { keys });
  const token = issue(key);
  const verifying = verifier.verify(token);
  exchange(newKey('ES256'));
  await verifying;
  expect(await verifier.verify(token)).toMatchObject({ accepted: false });
});

test('the cache is bounded: the oldest entry is evicted first', async () => {
  const { keys, lookups } = exchangeableKeys();
  const verifier = verifierWith([], { keys, rememberedTokens: 2 });
  const [first = '', second = '', third = ''] = ['one', 'two', 'three'].map((sub) => issue(key, { sub }));
  for (const token of [first, second, third]) await verifier.verify(token);
  expect(lookups()).toBe(3);
  for (const token of [second, third]) await verifier.verify(token);
  expect(lookups()).toBe(3);
  expect(await verifier.verify(first)).toEqual({ accepted: true, subject: subjectOf('one') });
  expect(lookups()).toBe(4);
});

test('a rejected token evicts no entry and is not cached', async () => {
  const { keys, lookups } = exchangeableKeys();
  const verifier = verifierWith([], { keys, rememberedTokens: 1 });
  const [token, expired] = [issue(key), issue(key, { exp: 1 })];
  await verifier.verify(token);
  for (let time = 1; time <= 3; time += 1) expect(await verifier.verify(expired)).toMatchObject({ accepted: false });
  expect(lookups()).toBe(4);
  await verifier.verify(token);
  expect(lookups()).toBe(4);
});
