import { readFileSync } from 'node:fs';

/**
 * Reads a file with one URL, which keeps its password out of the environment and out of process lists.
 * @throws {Error} if the file cannot be read or does not contain exactly one URL. The message does not contain the content.
 */
export function readUrlFile(path: string): string {
  const url = readText(path).trim();
  if (!url) throw new Error(`${path} is empty; write the URL of a store into it`);
  if (/[\r\n]/.test(url)) throw new Error(`${path} has several lines; write one URL`);
  return url;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot read ${path} (${(error as NodeJS.ErrnoException).code})`);
  }
}
