import { randomBytes } from 'node:crypto';
import { sha256 } from './token-digest.ts';

/** A token, for its bearer only, and the entry that makes a service accept it. */
export interface NewToken {
  /** What the bearer sends: `plant_` and 43 characters of base64url (RFC 4648 section 5). It is not stored. */
  readonly token: string;
  /** What the operator writes down: `sha256:` and 64 hexadecimal digits. It is not secret. */
  readonly entry: string;
}

/** Makes a token that cannot be guessed: 256 random bits. The prefix lets people and secret scanners recognize it. */
export function newToken(): NewToken {
  const token = `plant_${randomBytes(32).toString('base64url')}`;
  return { token, entry: `sha256:${sha256(token).toString('hex')}` };
}
