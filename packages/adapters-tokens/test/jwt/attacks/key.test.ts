import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { claims, issue, verifierWith } from '../fixed-verifier.ts';
import { startIssuer } from '../issuer.ts';
import { headerFor, newKey, type SigningKey, signed } from '../signing-key.ts';
import { ec, ed, expectRejected, rsa, stranger, withHmac } from './under-attack.ts';

describe('the key', () => {
  test.each([
    ['a path', '../../../../../../dev/null'],
    ['an absolute path', '/dev/null'],
    ['a file URL', 'file:///dev/null'],
    ['SQL', "x' UNION SELECT '' -- "],
    ['SQL that is always true', "' OR '1'='1"],
    ['a command', '|id'],
    ['a name of every object', '__proto__'],
    ['another one', 'constructor'],
    ['empty', ''],
    ['U+0000', 'rsa\u0000'],
    ['in another case', 'RSA'],
    ['a list', ['rsa']],
    ['an object', { rsa: 1 }],
    ['a number', 0],
    ['null', null],
  ])('kid injection, %s: never used as a key', async (_, kid) => {
    await expectRejected(
      ...Object.values(stranger).map((key) => signed(key, { ...headerFor(key), kid }, claims())),
      ...['', '\u0000', 'AA=='].map((secret) => withHmac('HS256', secret, { alg: 'HS256', kid }, claims())),
    );
  });

  test('kid injection, another key of the set: it does not verify a signature of the attacker', async () => {
    const kids = [rsa.kid, ec.kid, ed.kid, undefined];
    await expectRejected(
      ...Object.values(stranger).flatMap((key) => kids.map((kid) => signed(key, { ...headerFor(key), kid }, claims()))),
    );
  });

  test('a key of another type than the algorithm requires', async () => {
    const keys = [rsa, ec, ed];
    await expectRejected(
      ...keys.flatMap((key) =>
        keys
          .filter((other) => other !== key)
          .flatMap((other) => [
            signed(key, { ...headerFor(key), kid: other.kid }, claims()),
            signed(key, { ...headerFor(key), alg: other.alg }, claims()),
            signed(key, { ...headerFor(other) }, claims()),
          ]),
      ),
    );
  });

  test('a key on another curve', async () => {
    const other = newKey('ES384', 'ec');
    await expectRejected(signed(other, headerFor(other), claims()), signed(other, headerFor(ec), claims()));
  });

  test('a key for encryption', async () => {
    const forEncryption = { ...ec, jwk: { ...ec.jwk, use: 'enc' } };
    expect(await verifierWith([forEncryption]).verify(issue(ec))).toMatchObject({ accepted: false });
    expect(await verifierWith([ec]).verify(issue(ec))).toMatchObject({ accepted: true });
  });

  test('a key that is too short: rejected, without an error', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'short', alg: 'RS256' };
    const short: SigningKey = { alg: 'RS256', kid: 'short', publicKey, privateKey, jwk };
    expect(await verifierWith([short]).verify(issue(short))).toMatchObject({ accepted: false });
  });

  test('several keys that match a token without kid: rejected', async () => {
    const withoutKid = (key: SigningKey) => signed(key, { alg: key.alg, typ: 'at+jwt' }, claims());
    expect(await verifierWith([rsa, ec]).verify(withoutKid(ec))).toMatchObject({ accepted: true });
    expect(await verifierWith([ec, newKey('ES256')]).verify(withoutKid(ec))).toMatchObject({ accepted: false });
  });

  test.each(['jwk', 'jku', 'x5u', 'x5c'])(
    '%s: a key in the token, or at a URL in the token, is ignored',
    async (member) => {
      const attacker = await startIssuer({ onTestFinished }, ...Object.values(stranger));
      const value = (key: SigningKey) => {
        if (member === 'jwk') return key.jwk;
        return member === 'x5c'
          ? [key.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')]
          : attacker.url;
      };
      await expectRejected(
        ...Object.values(stranger).flatMap((key) =>
          [key.kid, 'unknown', undefined].map((kid) =>
            signed(key, { ...headerFor(key), kid, [member]: value(key) }, claims()),
          ),
        ),
      );
      expect(attacker.requests()).toBe(0);
    },
  );
});
