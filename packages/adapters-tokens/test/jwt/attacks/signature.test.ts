import { describe, test } from 'vitest';
import { claims, issue } from '../fixed-verifier.ts';
import { encoded, headerFor } from '../signing-key.ts';
import { ec, ed, expectRejected, good, rsa } from './under-attack.ts';

const [goodHeader = '', goodPayload = '', goodSignature = ''] = good.split('.');

describe('the signature', () => {
  test('of zeros, and others that a careless check of ECDSA accepts', async () => {
    const [header, payload] = issue(ec).split('.');
    const order = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551';
    const forged = [
      Buffer.alloc(64),
      Buffer.from(order + order, 'hex'),
      Buffer.from(`${'00'.repeat(31)}01${order}`, 'hex'),
      Buffer.alloc(63),
      Buffer.alloc(65),
      Buffer.from([0x30, 0x06, 0x02, 0x01, 0x00, 0x02, 0x01, 0x00]),
      Buffer.alloc(64, 0xff),
    ];
    await expectRejected(...forged.map((signature) => `${header}.${payload}.${signature.toString('base64url')}`));
  });

  test('of zeros, for RSA and Ed25519', async () => {
    const withZeros = (token: string, size: number) =>
      `${token.slice(0, token.lastIndexOf('.'))}.${Buffer.alloc(size).toString('base64url')}`;
    await expectRejected(withZeros(issue(rsa), 256), withZeros(issue(ed), 64));
  });

  test('missing, cut, extended, or encoded in another way', async () => {
    const bare = `${goodHeader}.${goodPayload}`;
    await expectRejected(
      bare,
      `${bare}.`,
      `${bare}.${goodSignature.slice(0, -4)}`,
      `${bare}.${goodSignature}AAAA`,
      `${bare}.${goodSignature}==`,
      `${bare}.${goodSignature}\n`,
      `${bare}. ${goodSignature}`,
      `${bare}.${goodSignature.slice(0, 8)} ${goodSignature.slice(8)}`,
      ...[1, 2, 3].map((by) => `${bare}.${withLastCharacter(goodSignature, by)}`),
      `${bare}.${Buffer.from(goodSignature, 'base64url').toString('base64')}`,
      `${good}.`,
      `.${good}`,
      `${good}.${goodSignature}`,
    );
  });

  test('of another header or payload', async () => {
    const other = encoded(claims({ sub: 'admin' }));
    const [, , othersSignature = ''] = issue(rsa, { sub: 'admin' }).split('.');
    await expectRejected(
      `${goodHeader}.${other}.${goodSignature}`,
      `${goodHeader}.${goodPayload}.${othersSignature}`,
      `${encoded({ ...headerFor(rsa), more: 1 })}.${goodPayload}.${goodSignature}`,
      `${goodHeader}.${goodPayload}=.${goodSignature}`,
      `${goodHeader}=.${goodPayload}.${goodSignature}`,
      `${goodPayload}.${goodHeader}.${goodSignature}`,
    );
  });

  test('with any one of its characters changed', async () => {
    const [header, payload, signature = ''] = issue(ed).split('.');
    await expectRejected(
      ...Array.from(signature, (character, at) => {
        const changed = signature.slice(0, at) + (character === 'A' ? 'B' : 'A') + signature.slice(at + 1);
        return `${header}.${payload}.${changed}`;
      }),
    );
  });
});

/** The same bytes with other unused bits, where the length leaves some. */
function withLastCharacter(text: string, by: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return text.slice(0, -1) + alphabet[(alphabet.indexOf(text.slice(-1)) + by) % 64];
}
