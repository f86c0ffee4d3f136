import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { MODULE } from './module.ts';
import { installedElsewhere } from './workspace.ts';

/** The modules of ours that git knows and the disk has: what a gate must have looked at. */
export function modulesKnownToGit(root: string): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const modules = listed.split('\0').filter((path) => MODULE.test(extname(path)));
  return modules.filter((path) => existsSync(join(root, path)) && !path.startsWith(`${installedElsewhere}/`));
}
