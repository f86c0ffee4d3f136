import { createLocalJWKSet, type LocalJWKSet } from 'jose';

/** The public keys of an issuer, which finds the one that a token names (`kid`, RFC 7515 section 4.1.4). */
export type KeySet = LocalJWKSet;

/** 262,144 bytes: some hundred times a usual key set, and little memory for a response or a file that is not one. */
export const MAX_JWKS_BYTES = 262_144;

/** Where keys come from. They may change at any time. */
export interface KeySource {
  /** The keys that are known now, the same object until they change; undefined if none are known. */
  readonly known: KeySet | undefined;

  /**
   * For a token whose key is unknown: the keys after a refresh from their source, if that is allowed now.
   *
   * @throws {VerifierUnavailable} if they are unreachable, or too many tokens wait for them.
   */
  renewed(): Promise<KeySet>;
}

/**
 * Reads a JSON Web Key Set (RFC 7517 section 5). Keys of unknown types are ignored, as it says there. A set
 * with a private key in it is refused as a whole: the operator has to know, and the key can no longer be trusted.
 *
 * @throws {Error} that says what is wrong without showing any of the text.
 */
export function parseKeySet(text: string): KeySet {
  const set = read(text);
  const at = set.jwks().keys.findIndex((key) => Object.hasOwn(key, 'd'));
  if (at < 0) return set;
  throw new Error(
    `key ${at + 1} in it is a private key (it has a "d"): publish only the public members, and have the issuer replace this key, since anybody who has seen it can sign tokens`,
  );
}

function read(text: string): KeySet {
  try {
    return createLocalJWKSet(JSON.parse(text));
  } catch {
    throw new Error('it is not a JSON Web Key Set: give {"keys": […]} with the public keys (RFC 7517 section 5)');
  }
}
