import { createLocalJWKSet, type JWTVerifyGetKey, type LocalJWKSet } from 'jose';

/** The public keys of an issuer, until it is closed. It keeps no process alive. */
export interface KeySource {
  /** Finds the key of a token; another function as soon as the keys have changed, undefined while none are known. */
  readonly current: JWTVerifyGetKey | undefined;

  /**
   * For a token that no known key verifies: fetches the keys anew, if they can be and if that is allowed now.
   * @throws {VerifierUnavailable} if they are unreachable, or too many tokens wait for them.
   */
  renew?(): Promise<void>;

  close(): void;
}

/**
 * Reads a JSON Web Key Set (RFC 7517 section 5). Keys of unknown types are ignored, as it says there. A set
 * with a private key in it is refused as a whole: the operator has to know, and the key can no longer be trusted.
 *
 * @throws {Error} that says what is wrong without showing any of the text.
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
