import { execFileSync } from 'node:child_process';
import { chown, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runSql } from '@plant-store/testing-postgres';
import { scratchDirectory } from '@plant-store/testing-servers';
import { onTestFinished } from 'vitest';
import type { DedicatedStore } from './dedicated-store.ts';

/** A disk of 32 MiB. */
export interface SmallDisk {
  readonly directory: string;
  /** Uses up all free space. */
  fill(): Promise<void>;
  /** Frees it again. */
  empty(): Promise<void>;
}

/**
 * Mounts a small in-memory file system until the test is finished.
 *
 * @param leave stops everything that uses it.
 * @throws {Error} if this process may not mount.
 */
export async function mountSmallDisk(leave: () => Promise<unknown>): Promise<SmallDisk> {
  const directory = await scratchDirectory(onTestFinished);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', directory], { stdio: 'pipe' });
  } catch (cause) {
    throw new Error('mounting a disk requires root: run this test as root, on Linux', {
      cause,
    });
  }
  onTestFinished(async () => {
    await leave();
    // Lazily: a process that is about to end may still have a file open.
    execFileSync('umount', ['--lazy', directory]);
  });

  const ballast = join(directory, 'ballast');
  return {
    directory,
    async fill() {
      await using file = await open(ballast, 'w');
      for (;;) {
        try {
          await file.appendFile(Buffer.alloc(4_096));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return;
          throw error;
        }
      }
    },
    empty: () => rm(ballast),
  };
}

/** Creates a database on the disk. The WAL is elsewhere, so the server itself keeps running. */
export async function databaseOn({ directory }: SmallDisk, { server, url }: DedicatedStore): Promise<string> {
  const home = await stat(decodeURIComponent(new URL(server.url).hostname));
  await chown(directory, home.uid, home.gid);
  await runSql(server.url, `CREATE TABLESPACE small LOCATION '${directory}'`);
  await runSql(server.url, 'CREATE DATABASE on_small OWNER gardener TEMPLATE template0 TABLESPACE small');
  const database = new URL(url);
  database.pathname = 'on_small';
  return database.href;
}
