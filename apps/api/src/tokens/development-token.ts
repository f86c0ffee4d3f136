import { randomUUID } from 'node:crypto';
import { link, mkdir, open, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newToken, ownershipFault } from '@plant-store/adapters-tokens';

/**
 * The token of a development machine: generated at the first start and kept in `token` in the data directory, readable by
 * its owner only. Other users must not be able to lay a token or a link there, so they may not write to the directory.
 *
 * @throws {Error} if it can be neither read nor created, the file is empty, or other users could change it.
 */
export async function developmentToken(dataDirectory: string): Promise<string> {
  const path = developmentTokenFile(dataDirectory);
  // Nobody else may look into a directory that is made here; one that exists is its owner's choice.
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 }).catch(cannotStore(dataDirectory));
  const fault = ownershipFault(await stat(dataDirectory));
  if (fault) throw new Error(`${dataDirectory}: ${fault}, or set DATA_DIR or API_TOKENS`);
  const token =
    (await read(path)) ??
    (await create(path)
      .catch(cannotStore(dataDirectory))
      .then(() => read(path)));
  if (token) return token;
  throw new Error(`${path} is empty: delete it to generate a new token at the next start, or set API_TOKENS`);
}

/** Where it is kept. */
export function developmentTokenFile(dataDirectory: string): string {
  return join(dataDirectory, 'token');
}

async function read(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path);
    const fault = ownershipFault(await file.stat());
    if (fault) throw new Error(fault);
    return (await file.readFile('utf8')).trim();
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    const reason = isErrno(error) ? 'make it readable' : (error as Error).message;
    throw new Error(`cannot use ${path}: ${reason}, or set API_TOKENS`, { cause: error });
  }
}

async function create(path: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${newToken().token}\n`, { flag: 'wx', mode: 0o600, flush: true });
    // A link appears atomically: two concurrent first starts use the same token.
    await link(draft, path);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function cannotStore(directory: string): (cause: unknown) => never {
  return (cause) => {
    throw new Error(`cannot store a token in ${directory}: make it writable, or set DATA_DIR or API_TOKENS`, { cause });
  };
}

function isErrno(error: unknown, code?: string): boolean {
  return error instanceof Error && 'code' in error && (code === undefined || error.code === code);
}
