import { type FollowOptions, followFile } from '../follow-file.ts';
import { type KeySource, parseKeySet } from './key-set.ts';

/**
 * Opens a file with a JSON Web Key Set (see {@link parseKeySet}), and follows it like {@link followFile}.
 * @throws {Error} with a message for the operator if the file is unusable at startup.
 */
export async function openJwksFile(options: FollowOptions): Promise<KeySource> {
  return followFile(options, parseKeySet, parseKeySet('{"keys": []}'));
}
