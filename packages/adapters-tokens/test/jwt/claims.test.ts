import { jwtAlgorithms, newToken, parseTokenEntry } from '@plant-store/adapters-tokens';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { audience, claims, issue, issuer, nowInSeconds, subjectOf, verifierWith } from './fixed-verifier.ts';
import { headerFor, newKey, signed } from './signing-key.ts';

const key = newKey('ES256');
const accepted = { accepted: true, subject: subjectOf('gardener') };
const rejected = { accepted: false };

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T12:00:00Z') }));
afterEach(() => void vi.useRealTimers());

const verdictOn = (others: Readonly<Record<string, unknown>>) => verifierWith([key]).verify(issue(key, others));

describe('iss', () => {
  test.each([
    ['missing', undefined],
    ['another', 'https://stranger.example/'],
    ['without its slash', issuer.slice(0, -1)],
    ['with a suffix', `${issuer}x`],
    ['in upper case', issuer.toUpperCase()],
    ['in a list', [issuer]],
    ['null', null],
  ])('%s: rejected', async (_, iss) => {
    expect(await verdictOn({ iss })).toMatchObject(rejected);
    expect(await verdictOn({})).toEqual(accepted);
  });
});

describe('aud', () => {
  test.each([
    ['missing', undefined],
    ['another', 'https://animals.example'],
    ['others', ['https://animals.example', 'https://stones.example']],
    ['longer', `${audience}/`],
    ['shorter', audience.slice(0, -1)],
    ['a list in a list', [[audience]]],
    ['an object', { [audience]: true }],
  ])('%s: rejected', async (_, aud) => {
    expect(await verdictOn({ aud })).toMatchObject(rejected);
  });

  test('ours, alone or among others: accepted', async () => {
    for (const aud of [audience, [audience], ['https://animals.example', audience]])
      expect(await verdictOn({ aud })).toEqual(accepted);
  });
});

describe('exp', () => {
  test.each([
    ['missing', undefined],
    ['a text', '9999999999'],
    ['negative', -1],
  ])('%s: rejected', async (_, exp) => {
    expect(await verdictOn({ exp })).toMatchObject(rejected);
  });

  test('1e999, which a parser takes for infinity: rejected', async () => {
    const payload = JSON.stringify(claims({ exp: 'X' })).replace('"X"', '1e999');
    expect(payload).toContain('"exp":1e999');
    expect(await verifierWith([key]).verify(signed(key, headerFor(key), payload))).toMatchObject(rejected);
  });

  test('past by at least the clock skew: rejected; by less: accepted', async () => {
    expect(await verdictOn({ exp: nowInSeconds() - 60 })).toMatchObject(rejected);
    expect(await verdictOn({ exp: nowInSeconds() - 59 })).toEqual(accepted);
  });

  test('tolerates the configured clock skew', async () => {
    const exact = verifierWith([key], { clockSkewSeconds: 0 });
    expect(await exact.verify(issue(key, { exp: nowInSeconds() }))).toMatchObject(rejected);
    expect(await exact.verify(issue(key, { exp: nowInSeconds() + 1 }))).toEqual(accepted);
  });

  test.each([0, 300])('a clock skew of %d s is accepted', async (clockSkewSeconds) => {
    const { accepted } = await verifierWith([key], { clockSkewSeconds }).verify(issue(key));
    expect(accepted).toBe(true);
  });

  test.each([-1, 301, Number.NaN])('a clock skew of %d s is rejected', (clockSkewSeconds) => {
    expect(() => verifierWith([key], { clockSkewSeconds })).toThrow(
      new RangeError(`clockSkewSeconds is ${clockSkewSeconds}; give 0 to 300`),
    );
  });
});

describe('nbf', () => {
  test('in the future by more than the clock skew: rejected; by less: accepted', async () => {
    expect(await verdictOn({ nbf: nowInSeconds() + 61 })).toMatchObject(rejected);
    expect(await verdictOn({ nbf: nowInSeconds() + 60 })).toEqual(accepted);
  });

  test.each([
    ['a text', '0'],
    ['null', null],
  ])('%s: rejected', async (_, nbf) => {
    expect(await verdictOn({ nbf })).toMatchObject(rejected);
  });
});

test('an nbf of -1e999: rejected', async () => {
  const payload = JSON.stringify(claims({ nbf: 'X' })).replace('"X"', '-1e999');
  expect(await verifierWith([key]).verify(signed(key, headerFor(key), payload))).toMatchObject(rejected);
});

describe('sub', () => {
  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['a number', 7],
    ['an object', {}],
    ['too long for every line of a log', 'x'.repeat(256)],
  ])('%s: rejected', async (_, sub) => {
    expect(await verdictOn({ sub })).toMatchObject(rejected);
  });

  test('is the subject, with its issuer', async () => {
    const sub = 'x'.repeat(255);
    expect(await verdictOn({ sub })).toEqual({ accepted: true, subject: subjectOf(sub) });
  });

  test('never makes two clients one: of another issuer, or with an opaque token', async () => {
    const subject = async (iss: string, sub: string) => {
      const verdict = await verifierWith([key], { issuer: iss }).verify(issue(key, { iss, sub }));
      return verdict.accepted ? verdict.subject : expect.unreachable();
    };
    const opaque = parseTokenEntry(newToken().token).subject;
    const subjects = [opaque, await subject('a', opaque), await subject('a', 'b":c'), await subject('a":b', 'c')];
    expect(new Set([...subjects, await subject('b', opaque)])).toHaveProperty('size', 5);
  });
});

describe('typ', () => {
  const verdictOnType = (typ: unknown) => verifierWith([key]).verify(signed(key, { ...headerFor(key), typ }, claims()));

  test.each(['at+jwt', 'AT+JWT', 'application/at+jwt', 'JWT', 'jwt', 'application/jwt', undefined])(
    '%j: accepted',
    async (typ) => {
      expect(await verdictOnType(typ)).toEqual(accepted);
    },
  );

  test.each(['logout+jwt', 'secevent+jwt', 'dpop+jwt', 'JOSE', '', 'at+jwt ', 'text/at+jwt', null, 7, ['at+jwt']])(
    '%j: rejected',
    async (typ) => {
      expect(await verdictOnType(typ)).toMatchObject(rejected);
    },
  );
});

test.each(jwtAlgorithms)('%s is accepted', async (alg) => {
  const other = newKey(alg);
  expect(await verifierWith([key, other]).verify(issue(other))).toEqual(accepted);
});
