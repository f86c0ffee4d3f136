import { type FollowOptions, followFile } from '../follow-file.ts';
import { type KeySource, MAX_JWKS_BYTES, parseKeySet } from './key-set.ts';

/**
 * Follows a file with a JSON Web Key Set, see {@link parseKeySet} and {@link followFile}.
 * @throws {FileUnusable} if the file cannot be used at the start.
 */
export async function openJwksFile(options: FollowOptions): Promise<KeySource> {
  const ifDeleted = parseKeySet('{"keys": []}');
  const kind = { name: 'JWKS file', maxBytes: MAX_JWKS_BYTES, parse: parseKeySet, ifDeleted };
  const file = await followFile(kind, options);
  return {
    find: (...header) => file.contents(...header),
    get revision() {
      return file.contents;
    },
    // The poll does.
    renew: async () => {},
    close: file.close,
  };
}
