import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, link, mkdir, open, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newToken, ownershipFault, parseTokenEntry } from '@plant-store/adapters-tokens';

/**
 * The token of a development machine. It is generated at the first start and stored in the file `token` of the data directory,
 * with mode 0600. Other users must not be able to replace the file, so they must not be able to write to the directory.
 *
 * @throws {Error} if the token cannot be read or created, the file is empty, or other users could change it.
 */
export async function developmentToken(dataDirectory: string): Promise<string> {
  const path = developmentTokenFile(dataDirectory);
  try {
    // A new directory is private. The mode of an existing one is its owner's choice.
    await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
    checkOwnership(dataDirectory, await stat(dataDirectory));
    await using file = await openFile(path).catch(async (error) => {
      if (error.code !== 'ENOENT') throw error;
      await createTokenFile(path);
      return openFile(path);
    });
    const stats = await file.stat();
    checkOwnership(path, stats);
    if (!stats.isFile() || stats.size > MAX_TOKEN_FILE_BYTES) throw new Error(`${path} is not a token file`);
    const token = (await file.readFile('utf8')).trim();
    if (!token) throw new Error(`${path} is empty: delete it to generate a new token at the next start`);
    parseTokenEntry(token);
    return token;
  } catch (cause) {
    throw new Error(`cannot use the generated token: ${(cause as Error).message}, or set DATA_DIR or API_TOKENS`, {
      cause,
    });
  }
}

/** Opens without blocking, because opening a pipe would wait for a writer. */
function openFile(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

const MAX_TOKEN_FILE_BYTES = 4_096;

/** The path of the generated token. */
export function developmentTokenFile(dataDirectory: string): string {
  return join(dataDirectory, 'token');
}

async function createTokenFile(path: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${newToken().token}\n`, { flag: 'wx', mode: 0o600, flush: true });
    // A hard link appears atomically, so two concurrent first starts use the same token.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function checkOwnership(path: string, stats: Stats): void {
  const fault = ownershipFault(stats);
  if (fault) throw new Error(`${path}: ${fault}`);
}
