import { type FollowOptions, watchFile } from '../watch-file.ts';
import { type KeySet, type KeySource, MAX_JWKS_BYTES, parseKeySet } from './key-set.ts';

/** Keys that follow a file until it is closed. It does not keep the process alive. */
export interface JwksFile extends KeySource {
  close(): void;
}

/**
 * Follows a file with a JSON Web Key Set (RFC 7517 section 5), see {@link watchFile}: while it is malformed, empty or unreadable its keys stay in use; once it
 * is deleted, or if its key set is empty, every JWT is refused.
 *
 * @throws {FileUnusable} if the file cannot be used at the start.
 * @throws {RangeError} if `pollIntervalMs` is out of range.
 */
export async function openJwksFile(options: FollowOptions): Promise<JwksFile> {
  const file = await watchFile<KeySet>({
    ...options,
    what: 'JWKS file',
    maxBytes: MAX_JWKS_BYTES,
    parse: parseKeySet,
    ifDeleted: parseKeySet('{"keys": []}'),
    onceUnusable: 'the known keys stay in use',
    onceDeleted: 'JWTs are refused until it is back',
  });
  return {
    get known() {
      return file.contents;
    },
    renewed: async () => file.contents,
    close: file.close,
  };
}
