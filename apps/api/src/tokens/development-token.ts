import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newToken } from '@plant-store/adapters-tokens';

/**
 * The token of a development machine: made on the first start, kept in `token` in the data directory, readable by its
 * owner alone, and found again by every later start.
 *
 * @throws {Error} when it is neither there nor can be made, or the file is empty.
 */
export async function developmentToken(dataDirectory: string): Promise<string> {
  const path = join(dataDirectory, 'token');
  const token = (await read(path)) ?? (await make(dataDirectory, path).then(() => read(path)));
  if (token) return token;
  throw new Error(`${path} holds no token: delete it, and the next start makes one; or set API_TOKENS`);
}

async function read(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw new Error(`${path} cannot be read: make it readable, or set API_TOKENS`, { cause: error });
  }
}

async function make(directory: string, path: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  try {
    await mkdir(directory, { recursive: true });
    await using file = await open(draft, 'w', 0o600);
    await file.writeFile(`${newToken().token}\n`);
    await file.sync();
    // A link appears whole or not at all: of two first starts at once, both find the same token.
    await link(draft, path);
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return;
    throw new Error(`no token can be kept in ${directory}: make it writable, or set DATA_DIR or API_TOKENS`, {
      cause: error,
    });
  } finally {
    await rm(draft, { force: true });
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
