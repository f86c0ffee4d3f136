import { readFileSync } from 'node:fs';

/**
 * Reads the one URL of a file: a password in it is then in no environment, and in no list of processes.
 * @throws {Error} if the file cannot be read or has not exactly one URL. The message does not have its content.
 */
export function readUrlFile(path: string): string {
  const url = textOf(path).trim();
  if (!url) throw new Error(`${path} is empty; write the URL of a store into it`);
  if (/[\r\n]/.test(url)) throw new Error(`${path} has several lines; write one URL`);
  return url;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot read ${path} (${(error as NodeJS.ErrnoException).code})`);
  }
}
