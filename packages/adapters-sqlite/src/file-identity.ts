import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { StoreMisconfigured } from '@plant-store/domain';

/**
 * Finds the file that a path leads to, before it is opened: a named pipe keeps whoever opens it waiting.
 *
 * @returns its path without symbolic links; undefined if there is no file.
 * @throws {StoreMisconfigured} as {@link identityAt}, and if it is mounted alone, as into a container, where its log is lost.
 */
export function findFile(path: string): string | undefined {
  if (identityAt(path) === undefined) return undefined;
  const file = realpathSync.native(path);
  // A system without this list mounts no single files. Devices do not show it: the files of one overlayfs can have several.
  const mounts = existsSync(MOUNTS) ? readFileSync(MOUNTS, 'utf8').split('\n') : [];
  // In octal: a space, a tab, a line feed and a backslash.
  const decoded = (_: string, code: string) => String.fromCharCode(Number.parseInt(code, 8));
  const points = mounts.map((mount) => mount.split(' ')[4]?.replace(/\\(\d{3})/g, decoded));
  const mounted = filesOf(file).find((each) => points.includes(each));
  if (mounted)
    throw new StoreMisconfigured(
      `${mounted} is mounted alone, and its log is not: copy ${file}-wal, if it is there, beside the file that is mounted, and mount that directory`,
    );
  return file;
}

/**
 * What tells the file that a path leads to, and its log and index, which SQLite keeps beside it, from any others that are
 * moved or mounted in their places; undefined if there is no file.
 *
 * @throws {StoreMisconfigured} if one is no regular file, or has a second name, by which SQLite would look for another log.
 */
export function identityAt(path: string): string | undefined {
  return existsSync(path) ? filesOf(realpathSync.native(path)).map(identityOf).join() : undefined;
}

function identityOf(file: string): string {
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stats?.isFile() === false) {
    const kind = (['Directory', 'FIFO', 'SymbolicLink', 'Socket'] as const).find((each) => stats[`is${each}`]());
    throw new StoreMisconfigured(`${file} is no regular file (${kind ?? 'device'}): set another path`);
  }
  if (stats && stats.nlink > 1n)
    throw new StoreMisconfigured(
      `${file} has ${stats.nlink} names (hard links), each with its own log: keep the one beside which a -wal file is not empty`,
    );
  return `${stats?.dev} ${stats?.ino}`;
}

const filesOf = (file: string) => [file, `${file}-wal`, `${file}-shm`];
const MOUNTS = '/proc/self/mountinfo';
