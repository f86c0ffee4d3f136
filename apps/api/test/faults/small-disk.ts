import { execFileSync } from 'node:child_process';
import { chown, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSql } from '@plant-store/testing-postgres';
import { onTestFinished } from 'vitest';
import type { DedicatedStore } from './dedicated-store.ts';

/** A disk of 32 MiB. */
export interface SmallDisk {
  readonly directory: string;
  /** Takes all the room that is left. */
  fill(): Promise<void>;
  /** Gives it back. */
  empty(): Promise<void>;
}

/**
 * Mounts a small file system, in memory, until the test is finished.
 *
 * @param leave ends whatever uses it.
 * @throws {Error} when this process may not mount.
 */
export async function mountSmallDisk(leave: () => Promise<unknown>): Promise<SmallDisk> {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-disk-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', directory], { stdio: 'pipe' });
  } catch (cause) {
    throw new Error('a disk that can be filled takes the right to mount one: run this test as root, on Linux', {
      cause,
    });
  }
  onTestFinished(async () => {
    await leave();
    execFileSync('umount', [directory]);
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

/** Creates a database on the disk. The server's log of changes is elsewhere, so the server itself goes on. */
export async function databaseOn({ directory }: SmallDisk, { server, url }: DedicatedStore): Promise<string> {
  const home = await stat(decodeURIComponent(new URL(server.url).hostname));
  await chown(directory, home.uid, home.gid);
  await runSql(server.url, `CREATE TABLESPACE small LOCATION '${directory}'`);
  await runSql(server.url, 'CREATE DATABASE on_small OWNER gardener TEMPLATE template0 TABLESPACE small');
  const database = new URL(url);
  database.pathname = 'on_small';
  return database.href;
}
