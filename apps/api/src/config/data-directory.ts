import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The directory in which a development machine keeps its embedded store and its token: `data` below the repository's
 * root, wherever the command was started; below the working directory where there is no repository.
 */
export const defaultDataDirectory: string = join(repositoryRoot(import.meta.dirname) ?? process.cwd(), 'data');

function repositoryRoot(directory: string): string | undefined {
  if (existsSync(join(directory, 'pnpm-workspace.yaml'))) return directory;
  const parent = dirname(directory);
  return parent === directory ? undefined : repositoryRoot(parent);
}
