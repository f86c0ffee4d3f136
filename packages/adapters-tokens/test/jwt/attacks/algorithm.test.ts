import { describe, expect, test } from 'vitest';
import { claims, issue, verifierWith } from '../fixed-verifier.ts';
import { encoded, headerFor, keySetOf, type SigningKey, signed } from '../signing-key.ts';
import { ec, ed, expectRejected, good, rsa, withHmac } from './under-attack.ts';

const [, , goodSignature = ''] = good.split('.');

describe('the algorithm', () => {
  test.each(['none', 'None', 'NONE', 'nOnE', ' none', 'none\u0000', '', null, undefined, 0, ['RS256'], { RS256: 1 }])(
    '%j: rejected without a signature and with that of another token',
    async (alg) => {
      const input = `${encoded({ ...headerFor(rsa), alg })}.${encoded(claims())}`;
      await expectRejected(`${input}.`, input, `${input}.${goodSignature}`, `${input}.${encoded('none')}`);
      const signedAnyhow = signed(rsa, { ...headerFor(rsa), alg }, claims());
      await expectRejected(signedAnyhow);
    },
  );

  test.each(['HS256', 'HS384', 'HS512'])('%s with a public key as its secret', async (alg) => {
    const { publicKey } = rsa;
    const pem = String(publicKey.export({ format: 'pem', type: 'spki' }));
    const secrets = [
      pem,
      pem.trim(),
      publicKey.export({ format: 'pem', type: 'pkcs1' }),
      publicKey.export({ format: 'der', type: 'spki' }),
      publicKey.export({ format: 'der', type: 'pkcs1' }),
      JSON.stringify(rsa.jwk),
      String(rsa.jwk['n']),
      Buffer.from(String(rsa.jwk['n']), 'base64url'),
      keySetOf(rsa, ec, ed),
      '',
    ];
    await expectRejected(
      ...secrets.flatMap((secret) =>
        [{ alg, kid: rsa.kid }, { alg }].map((header) => withHmac(alg, secret, header, claims())),
      ),
    );
  });

  test('HS256 with a secret that the issuer has published by mistake', async () => {
    const secret = Buffer.alloc(32, 7);
    const oct = { kty: 'oct', k: secret.toString('base64url'), alg: 'HS256', kid: 'secret' };
    const careless = verifierWith(JSON.stringify({ keys: [oct, rsa.jwk] }));
    expect(await careless.verify(issue(rsa))).toMatchObject({ accepted: true });
    const token = withHmac('HS256', secret, { alg: 'HS256', kid: 'secret' }, claims());
    expect(await careless.verify(token)).toMatchObject({ accepted: false });
  });

  test('that does not match the key', async () => {
    // The same key, the same strength, another padding.
    const asPss: SigningKey = { ...rsa, alg: 'PS256' };
    await expectRejected(signed(asPss, headerFor(asPss), claims()));
  });

  test('that the operator does not allow', async () => {
    const narrow = verifierWith([rsa, ec, ed], { algorithms: ['ES256', 'EdDSA'] });
    expect(await narrow.verify(issue(ec))).toMatchObject({ accepted: true });
    expect(await narrow.verify(issue(ed))).toMatchObject({ accepted: true });
    expect(await narrow.verify(issue(rsa))).toMatchObject({ accepted: false });
  });
});
