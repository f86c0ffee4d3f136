import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether programs are installed, by default MariaDB's. */
export function isInstalled(...programs: readonly string[]): boolean {
  const wanted = programs.length > 0 ? programs : ['mariadbd', 'mariadb-install-db'];
  return wanted.every((program) => find(program) !== undefined);
}

/** Returns the path of a program. @throws {Error} if it is not installed. */
export function findProgram(name: string): string {
  const program = find(name);
  if (program === undefined) throw new Error(`${name} is not installed`);
  return program;
}

/** Searches PATH and the directories of Debian and Homebrew, which not every PATH has. */
function find(program: string): string | undefined {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return directories.map((each) => join(each, program)).find((path) => existsSync(path));
}
