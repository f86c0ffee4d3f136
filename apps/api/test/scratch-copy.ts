import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { run, withThisPnpm } from './running-process.ts';

/** The repository that these tests stand in. */
export const root: string = join(import.meta.dirname, '../../..');

/** A copy of the repository, as a clean clone would be, with its dependencies installed: all of it in one commit on main. */
export interface ScratchCopy {
  readonly path: string;
  /** Runs a shell command in the copy, as CI does. */
  shell(command: string): Promise<{ readonly code: number | NodeJS.Signals; readonly output: string }>;
}

/**
 * Copies what git knows of and what it does not ignore, and installs offline from the store of the original.
 *
 * @param path a directory that is made here; the caller removes it, also when this fails.
 */
export async function scratchCopy(path: string): Promise<ScratchCopy> {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const files = String(listed).split('\0').filter(Boolean);
  // A file that was deleted and not yet committed is listed all the same.
  for (const file of files) if (existsSync(join(root, file))) cpSync(join(root, file), join(path, file));

  const shell: ScratchCopy['shell'] = async (command) => {
    const started = run('bash', ['-c', withThisPnpm(command)], {
      cwd: path,
      env: { ...environmentOfCi(), ...storeOfOriginal() },
    });
    return { code: await started.ended, output: started.output() };
  };
  // Biome looks for the repository that .gitignore belongs to, and what tells changes for the commit that they began at.
  const { code, output } = await shell(`set -e
    git init --quiet --initial-branch=main
    git add .
    git -c user.name=test -c user.email=test@example.org commit --quiet --no-verify --message='as it was'
    npx -y pnpm@12 install --offline --frozen-lockfile`);
  if (code !== 0) throw new Error(`the copy could not be installed:\n${output}`);
  return { path, shell };
}

/** The environment of this process without what test runners and package managers add to it. */
function environmentOfCi(): NodeJS.ProcessEnv {
  const added = /^(npm_|pnpm_|VITEST|NODE_ENV$|TEST$|MODE$|DEV$|PROD$|SSR$|BASE_URL$)/;
  const own = Object.entries(process.env).filter(([name]) => !added.test(name));
  // The generator calls pnpm by its name.
  const path = [dirname(process.env['npm_execpath'] ?? ''), process.env['PATH']].join(delimiter);
  return { ...Object.fromEntries(own), PATH: path, CI: 'true', NO_COLOR: '1' };
}

/** Where the temporary directory is on another disk, pnpm would look for another store, and find it empty. */
function storeOfOriginal(): NodeJS.ProcessEnv {
  const { storeDir } = JSON.parse(readFileSync(join(root, 'node_modules/.modules.yaml'), 'utf8'));
  return { pnpm_config_store_dir: dirname(storeDir) };
}
