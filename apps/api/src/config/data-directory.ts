import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Where a development machine keeps its embedded store and token: `data` in the root of the repository, from whatever
 * directory the command was started; without a repository, `data` in the working directory.
 */
export const defaultDataDirectory: string = join(repositoryRoot(import.meta.dirname) ?? process.cwd(), 'data');

function repositoryRoot(directory: string): string | undefined {
  if (existsSync(join(directory, 'pnpm-workspace.yaml'))) return directory;
  const parent = dirname(directory);
  return parent === directory ? undefined : repositoryRoot(parent);
}
