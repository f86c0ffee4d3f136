import { lchownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  acceptsConnections,
  cachedDirectory,
  logOf,
  type OnSpawn,
  type ServerProcess,
  spawnServer,
} from '@plant-store/testing-servers';
import { runSql } from './run-sql.ts';
import { nativeDirectory, type ServerHome, type ServerSettings } from './server-home.ts';

/** Room for the connection pools of many test files at once; PostgreSQL's own default is 100. */
export const MAX_CONNECTIONS = 300;

/** A start takes a tenth of a second; recovering from a crash on a busy machine may take many times that. */
const START_TIMEOUT_MS = 30_000;

/**
 * Makes a new cluster.
 *
 * @param onSpawn called at once with the id of the started process; so for {@link startPostmaster}.
 */
export async function initialiseCluster(home: ServerHome, onSpawn: OnSpawn): Promise<void> {
  // The first files need not survive the machine: what is written later is synced.
  const parameters = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'];
  const program = join(nativeDirectory(), 'bin', 'initdb');
  await cachedDirectory(dataOf(home), { program, parameters }, async () => {
    const { exit } = await run(home, 'initdb', parameters, onSpawn);
    const [code] = await exit;
    if (code !== 0) throw new Error(`initdb failed: ${await logOf(home.directory)}`);
  });
  // Files that were copied belong to this user.
  if (home.account) chown(dataOf(home), home.account);
}

/** Starts the server, and resolves with its main process once it accepts connections. */
export async function startPostmaster(
  home: ServerHome,
  onSpawn: OnSpawn,
  { fsync }: ServerSettings,
): Promise<ServerProcess> {
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${home.directory}`,
    'unix_socket_permissions=0700',
    `max_connections=${MAX_CONNECTIONS}`,
    // In the data directory, so that a killed server leaves none of it behind in /dev/shm.
    'dynamic_shared_memory_type=mmap',
    // Not a thousand files one by one each time a killed server starts again, though it syncs what others have written, too.
    ...(process.platform === 'linux' ? ['recovery_init_sync_method=syncfs'] : []),
    // Not `on` otherwise: ALTER SYSTEM could not change it.
    ...(fsync ? [] : ['fsync=off']),
  ].flatMap((setting) => ['-c', setting]);
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const server = await run(home, 'postgres', ['-p', '5432', ...settings], onSpawn);
    server.child.unref();
    if (await acceptsConnections(server, giveUpAt, () => runSql(home.url, 'SELECT 1'))) return server;
    const log = await logOf(home.directory);
    // The other processes of a killed server may still be exiting: PostgreSQL does not start beside them.
    if (!log.includes('is still in use') || performance.now() > giveUpAt)
      throw new Error(`PostgreSQL did not start: ${log}`);
    await sleep(50);
  }
}

function dataOf({ directory }: ServerHome): string {
  return join(directory, 'data');
}

function chown(directory: string, { uid, gid }: NonNullable<ServerHome['account']>): void {
  const below = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  for (const each of ['', ...below]) lchownSync(join(directory, each), uid, gid);
}

function run(
  home: ServerHome,
  program: 'initdb' | 'postgres',
  parameters: readonly string[],
  onSpawn: OnSpawn,
): Promise<ServerProcess> {
  const { directory, programs, account } = home;
  const all = ['-D', dataOf(home), ...parameters];
  return spawnServer({ directory, program: join(programs, program), parameters: all, account }, onSpawn);
}
