import { type FollowOptions, followFile } from '../follow-file.ts';
import { type KeySource, parseKeySet } from './key-set.ts';

/**
 * Follows a file with a JSON Web Key Set, see {@link parseKeySet} and {@link followFile}.
 * @throws {Error} with a message for the operator if the file cannot be used at the start.
 */
export async function openJwksFile(options: FollowOptions): Promise<KeySource> {
  return followFile(options, parseKeySet, parseKeySet('{"keys": []}'));
}
