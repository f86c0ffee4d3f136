import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newToken } from '@plant-store/adapters-tokens';

/**
 * The token of a development machine: generated at the first start and kept in `token` in the data directory, readable by
 * its owner only.
 *
 * @throws {Error} if it can be neither read nor created, or the file is empty.
 */
export async function developmentToken(dataDirectory: string): Promise<string> {
  const path = developmentTokenFile(dataDirectory);
  const token = (await read(path)) ?? (await create(dataDirectory, path).then(() => read(path)));
  if (token) return token;
  throw new Error(`${path} is empty: delete it to generate a new token at the next start, or set API_TOKENS`);
}

/** Where it is kept. */
export function developmentTokenFile(dataDirectory: string): string {
  return join(dataDirectory, 'token');
}

async function read(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw new Error(`cannot read ${path}: make it readable or set API_TOKENS`, { cause: error });
  }
}

async function create(directory: string, path: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  try {
    // Nobody else may look into a directory that is made here; one that exists is its owner's choice.
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await using file = await open(draft, 'w', 0o600);
    await file.writeFile(`${newToken().token}\n`);
    await file.sync();
    // A link appears atomically: two concurrent first starts use the same token.
    await link(draft, path);
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return;
    throw new Error(`cannot store a token in ${directory}: make it writable, or set DATA_DIR or API_TOKENS`, {
      cause: error,
    });
  } finally {
    await rm(draft, { force: true });
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
