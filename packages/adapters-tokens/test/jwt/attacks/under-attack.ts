import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { issue, verifierWith } from '../fixed-verifier.ts';
import { encoded, newKey, type SigningKey } from '../signing-key.ts';

export const rsa: SigningKey = newKey('RS256', 'rsa');
export const ec: SigningKey = newKey('ES256', 'ec');
export const ed: SigningKey = newKey('EdDSA', 'ed');

/** The attacker's keys: the same types and names, but not trusted. */
export const stranger = { rsa: newKey('RS256', 'rsa'), ec: newKey('ES256', 'ec'), ed: newKey('EdDSA', 'ed') };

/** The verifier under attack, and a token that it accepts. */
export const verifier = verifierWith([rsa, ec, ed]);
export const good: string = issue(rsa);

/** Expects each of these to be rejected, and the tokens they are made from to be accepted before and after. */
export async function expectRejected(...tokens: readonly string[]): Promise<void> {
  for (const key of [rsa, ec, ed]) expect(await verifier.verify(issue(key))).toMatchObject({ accepted: true });
  for (const token of tokens) expect(await verifier.verify(token), token).toMatchObject({ accepted: false });
  expect(await verifier.verify(good)).toMatchObject({ accepted: true });
}

/** A token with a message authentication code in the place of its signature. */
export function withHmac(alg: string, secret: string | Buffer, header: object, payload: object): string {
  const input = `${encoded(header)}.${encoded(payload)}`;
  const digest = createHmac(`sha${alg.slice(2)}`, secret)
    .update(input)
    .digest('base64url');
  return `${input}.${digest}`;
}
