import { createLocalJWKSet, type JWTVerifyGetKey, type LocalJWKSet } from 'jose';
import { type FollowOptions, followFile } from '../follow-file.ts';

/** The public keys of an issuer. Until it is closed, it follows changes without keeping the process alive. */
export interface KeySource {
  /** Finds the key of a token. A new function after the keys change; undefined while none are known. */
  readonly current: JWTVerifyGetKey | undefined;

  /**
   * Fetches the keys again for a token with an unknown key, if a fetch is allowed now.
   * @throws {VerifierUnavailable} if the issuer is unreachable.
   */
  renew?(): Promise<void>;

  close(): void;
}

/**
 * Parses a JSON Web Key Set (RFC 7517 section 5). Keys of unknown types are ignored, as the RFC requires. A set with a private
 * key is refused: the operator has to know that the key can no longer be trusted.
 *
 * @throws {Error} whose message says what is wrong and contains nothing of the text.
 */
export function parseKeySet(text: string): LocalJWKSet {
  let set: LocalJWKSet;
  try {
    set = createLocalJWKSet(JSON.parse(text));
  } catch {
    throw new Error('it is not a JSON Web Key Set: give {"keys": […]} with the public keys (RFC 7517 section 5)');
  }
  if (!set.jwks().keys.some((key) => Object.hasOwn(key, 'd'))) return set;
  throw new Error(
    'it has a private key (one with a "d"): publish only the public members, and have the issuer replace this key, since anybody who has seen it can sign tokens',
  );
}

/**
 * Opens a file with a JSON Web Key Set (see {@link parseKeySet}), and follows it like {@link followFile}.
 * @throws {Error} with a message for the operator if the file is unusable at startup.
 */
export async function openJwksFile(options: FollowOptions): Promise<KeySource> {
  return followFile(options, parseKeySet, parseKeySet('{"keys": []}'));
}
