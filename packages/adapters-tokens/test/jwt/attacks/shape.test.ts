import { sign } from 'node:crypto';
import { EncryptJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { claims, issue, keySource, subjectOf, verifierWith } from '../fixed-verifier.ts';
import { encoded, headerFor, signed } from '../signing-key.ts';
import { ec, expectRejected, good, rsa, stranger, verifier } from './under-attack.ts';

const [goodHeader = '', goodPayload = '', goodSignature = ''] = good.split('.');

describe('the shape', () => {
  test.each([
    ['not known', { crit: ['plants'], plants: true }],
    ['a claim', { crit: ['exp'], exp: 1 }],
    ['empty', { crit: [] }],
    ['no list', { crit: 'exp' }],
    ['b64, with a payload that is not encoded', { crit: ['b64'], b64: false }],
    ['a name of every object', { crit: ['__proto__'] }],
  ])('crit, %s: an extension that is not supported', async (_, extension) => {
    await expectRejected(signed(rsa, { ...headerFor(rsa), ...extension }, claims()));
  });

  test('encrypted: a JWE, with a JWT in it or with claims', async () => {
    const header = { alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: rsa.kid };
    const encrypted = await new EncryptJWT(claims()).setProtectedHeader(header).encrypt(rsa.publicKey);
    const direct = await new EncryptJWT(claims())
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: rsa.kid })
      .encrypt(Buffer.alloc(32));
    await expectRejected(encrypted, direct, encrypted.split('.').slice(0, 3).join('.'));
  });

  test('JSON instead of compact', async () => {
    const flattened = { protected: goodHeader, payload: goodPayload, signature: goodSignature };
    const { payload, ...signature } = flattened;
    await expectRejected(JSON.stringify(flattened), JSON.stringify({ payload, signatures: [signature] }));
  });

  test.each(['[]', 'null', '"text"', '1', '', '{', '{}', '\ufeff{}'])('claims that are %j', async (text) => {
    await expectRejected(signed(rsa, headerFor(rsa), text));
  });

  test('claims that are not UTF-8', async () => {
    const [header, text] = [headerFor(rsa), Buffer.from(JSON.stringify(claims({ sub: '\u00ff' })), 'latin1')];
    const input = `${encoded(header)}.${encoded(text)}`;
    await expectRejected(`${input}.${sign('sha256', Buffer.from(input), rsa.privateKey).toString('base64url')}`);
  });

  test('duplicate members: the last one counts, for the signature as for the claims', async () => {
    const twice = (first: object, second: object) =>
      `${JSON.stringify(first).slice(0, -1)},${JSON.stringify(second).slice(1)}`;
    const header = headerFor(rsa);
    await expectRejected(
      signed(rsa, twice(header, { alg: 'none' }), claims()),
      signed(rsa, twice(header, { kid: ec.kid }), claims()),
      signed(stranger.rsa, twice({ kid: ec.kid, alg: 'ES256' }, header), claims()),
      ...[{ exp: 1 }, { aud: 'another' }, { iss: 'another' }, { sub: '' }, { nbf: 2 ** 40 }].map((second) =>
        signed(rsa, header, twice(claims(), second)),
      ),
    );
    expect(await verifier.verify(signed(rsa, header, twice({ exp: 1, sub: 'first' }, claims())))).toEqual({
      accepted: true,
      subject: subjectOf('gardener'),
    });
  });

  test('more than 8,192 characters: rejected before anything is parsed', async () => {
    const padded = (length: number) => {
      const base = issue(ec, { pad: '' }).length;
      // Three bytes make four characters.
      return issue(ec, { pad: 'x'.repeat(Math.ceil(((length - base) * 3) / 4)) });
    };
    expect(padded(8_100).length).toBeLessThanOrEqual(8_192);
    expect(await verifier.verify(padded(8_100))).toMatchObject({ accepted: true });
    expect(padded(8_200).length).toBeGreaterThan(8_192);

    const { known } = keySource([ec]);
    let lookups = 0;
    const counting = Object.assign(
      (...found: Parameters<NonNullable<typeof known>>) => {
        lookups += 1;
        return known ? known(...found) : expect.unreachable();
      },
      { jwks: () => ({ keys: [] }) },
    );
    const counted = verifierWith([], { keys: { known: counting, renewed: async () => counting } });
    for (const length of [8_200, 20_000, 1_000_000])
      expect(await counted.verify(padded(length))).toMatchObject({ accepted: false });
    expect(lookups).toBe(0);
    expect(await counted.verify(padded(8_100))).toMatchObject({ accepted: true });
    expect(lookups).toBe(1);
  });
});
