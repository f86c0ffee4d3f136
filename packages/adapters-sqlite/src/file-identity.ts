import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { StoreMisconfigured } from '@plant-store/domain';

/**
 * Resolves a path before the file is opened, because opening a named pipe blocks.
 *
 * @returns the path without symbolic links; undefined if there is no file.
 * @throws {StoreMisconfigured} if the file is mounted without its directory, as in a container, where its log would be lost; also as
 *   {@link identityAt}.
 */
export function findFile(path: string): string | undefined {
  if (identityAt(path) === undefined) return undefined;
  const file = realpathSync.native(path);
  // Only Linux mounts single files. Device numbers do not show it, because the files of one overlayfs can have several.
  const mounts = existsSync(MOUNTS) ? readFileSync(MOUNTS, 'utf8').split('\n') : [];
  // The list has spaces, tabs, line feeds and backslashes in octal.
  const decoded = (_: string, code: string) => String.fromCharCode(Number.parseInt(code, 8));
  const points = mounts.map((mount) => mount.split(' ')[4]?.replace(/\\(\d{3})/g, decoded));
  const mounted = filesOf(file).find((each) => points.includes(each));
  if (mounted)
    throw new StoreMisconfigured(
      `${mounted} is mounted without its log: copy ${file}-wal, if it exists, beside the original file, and mount that directory`,
    );
  return file;
}

/**
 * Identifies the file at a path, and its log and index, by their devices and inodes; undefined if there is no file.
 *
 * @throws {StoreMisconfigured} if one is not a regular file, or has a second hard link, for which SQLite would use another log.
 */
export function identityAt(path: string): string | undefined {
  return existsSync(path) ? filesOf(realpathSync.native(path)).map(identityOf).join() : undefined;
}

function identityOf(file: string): string {
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stats?.isFile() === false) {
    const kind = (['Directory', 'FIFO', 'SymbolicLink', 'Socket'] as const).find((each) => stats[`is${each}`]());
    throw new StoreMisconfigured(`${file} is not a regular file (${kind ?? 'device'}): set another path`);
  }
  if (stats && stats.nlink > 1n)
    throw new StoreMisconfigured(
      `${file} has ${stats.nlink} hard links, each with its own log: keep the one whose -wal file is not empty`,
    );
  return `${stats?.dev} ${stats?.ino}`;
}

const filesOf = (file: string) => [file, `${file}-wal`, `${file}-shm`];
const MOUNTS = '/proc/self/mountinfo';
