import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether this machine has the programs of a MariaDB. */
export function isInstalled(): boolean {
  return [find('mariadbd'), find('mariadb-install-db')].every((path) => path !== undefined);
}

/** The path of a program. @throws {Error} if it is not installed. */
export function programOf(name: string): string {
  const program = find(name);
  if (program === undefined) throw new Error(`${name} is not installed`);
  return program;
}

/** Debian and Homebrew put the server where not every user's PATH leads. */
function find(program: string): string | undefined {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return directories.map((each) => join(each, program)).find((path) => existsSync(path));
}
