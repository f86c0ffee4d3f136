import { createLocalJWKSet, type LocalJWKSet } from 'jose';

/** The public keys of an issuer, which finds the one that a token names (`kid`, RFC 7515 section 4.1.4). */
export type KeySet = LocalJWKSet;

/** Where keys come from. What it holds may change at any time. */
export interface KeySource {
  /** The keys that are known now, the same object until they change; undefined where none are known. */
  readonly known: KeySet | undefined;

  /**
   * For a token whose key is not among the known ones: the keys after a look at where they come from, if that may be
   * done now.
   *
   * @throws {VerifierUnavailable} when they are out of reach, or too many wait for them.
   */
  renewed(): Promise<KeySet>;
}

/**
 * Reads a JSON Web Key Set (RFC 7517 section 5). Keys of kinds that are not known are ignored, as it says there. A set
 * with a private key in it is refused as a whole: somebody has to hear of it, and the key is not to be trusted any more.
 *
 * @throws {Error} saying what is wrong without showing anything of the text.
 */
export function parseKeySet(text: string): KeySet {
  const set = read(text);
  const at = set.jwks().keys.findIndex((key) => Object.hasOwn(key, 'd'));
  if (at < 0) return set;
  throw new Error(
    `key ${at + 1} in it is a private key (it has a "d"): publish the public members alone, and have the issuer replace this key, since whoever has seen it can sign tokens`,
  );
}

function read(text: string): KeySet {
  try {
    return createLocalJWKSet(JSON.parse(text));
  } catch {
    throw new Error('it holds no JSON Web Key Set: give {"keys": […]} with the public keys (RFC 7517 section 5)');
  }
}
