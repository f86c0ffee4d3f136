import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newToken } from '@plant-store/adapters-tokens';

/**
 * The token of a development machine: made on the first start, kept in `token` in the data directory, readable by its
 * owner alone, and found again by every later start.
 */
export async function developmentToken(dataDirectory: string): Promise<string> {
  const path = join(dataDirectory, 'token');
  const draft = `${path}.${process.pid}`;
  await mkdir(dataDirectory, { recursive: true });
  await writeFile(draft, `${newToken().token}\n`, { mode: 0o600 });
  try {
    // A link appears whole or not at all: of two first starts at once, both find the same token.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft);
  }
  return (await readFile(path, 'utf8')).trim();
}
