import { createLocalJWKSet, type JWTVerifyGetKey, type LocalJWKSet } from 'jose';

/** The public keys of an issuer, which may change, until it is closed. It keeps no process alive. */
export interface KeySource {
  /** Finds the key of a token among the known keys. */
  readonly find: JWTVerifyGetKey;

  /** Equal as long as the known keys are the same; undefined while none are known. */
  readonly revision: unknown;

  /**
   * For a token that no known key verifies: fetches the keys anew, if that is allowed now.
   * @throws {VerifierUnavailable} if they are unreachable, or too many tokens wait for them.
   */
  renew(): Promise<void>;

  close(): void;
}

/** 262,144 bytes: some hundred times a usual key set, and little memory for a response or a file that is not one. */
export const MAX_JWKS_BYTES = 262_144;

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
  const at = set.jwks().keys.findIndex((key) => Object.hasOwn(key, 'd'));
  if (at < 0) return set;
  throw new Error(
    `key ${at + 1} in it is a private key (it has a "d"): publish only the public members, and have the issuer replace this key, since anybody who has seen it can sign tokens`,
  );
}
