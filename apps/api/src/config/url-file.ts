import { readFileSync } from 'node:fs';
import { ConfigError } from '../errors.ts';

/**
 * Reads the one URL of a file: a password in it is then in no environment, and in no list of processes.
 *
 * @param name of the setting or option, for messages.
 * @throws {ConfigError} if the file cannot be read or has not exactly one URL: another store would be used. The message does not have its content.
 */
export function readUrlFile(path: string, name: string): string {
  const url = readText(path, name).trim();
  if (!url) throw new ConfigError(`${name}: ${path} is empty; write the URL of a store into it`);
  if (/[\r\n]/.test(url)) throw new ConfigError(`${name}: ${path} has several lines; write one URL`);
  return url;
}

function readText(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${name}: cannot read ${path} (${(error as NodeJS.ErrnoException).code})`);
  }
}

/**
 * The environment with `DATABASE_URL` from the file that `DATABASE_URL_FILE` names, if any; without white space around it,
 * which a secret that was written with `echo` ends with.
 * @throws {ConfigError} if both are set, or the file cannot be read or has not one URL.
 */
export function withUrlFile(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DATABASE_URL_FILE: path, DATABASE_URL: url } = environment;
  if (path && url) throw new ConfigError('DATABASE_URL_FILE: DATABASE_URL is set, too; set one of them');
  if (path) return { ...environment, DATABASE_URL: readUrlFile(path, 'DATABASE_URL_FILE') };
  return url ? { ...environment, DATABASE_URL: url.trim() || url } : environment;
}
