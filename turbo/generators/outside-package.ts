import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What is wrong with the directory of a new package, and what to do about it; undefined if it can be used. */
export function faultOfDirectory(directory: string): string | undefined {
  const isNew = !existsSync(directory) || readdirSync(directory).length === 0;
  return isNew ? undefined : `the directory ${directory} is not empty; choose another`;
}

/** Removes what a package needs in this repository alone. */
export function removeOwn(directory: string): void {
  for (const file of ['CHANGELOG.md', 'stryker.config.mjs']) rmSync(join(directory, file));
}

/** The text of a template as a package of its own has it: its paths begin there, and it has no name in this workspace. */
export function asOutside(text: string, adapter: string): string {
  return text
    .replaceAll(`@plant-store/adapters-${adapter}/harness`, '../src/harness/index.ts')
    .replaceAll(`packages/adapters-${adapter}/`, '');
}

/** A manifest with versions in place of `workspace:^` and `catalog:`, as `pnpm pack` puts them there. */
export function withVersions(manifest: string, root: string): string {
  const workspace = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');
  return manifest
    .replace(/"@plant-store\/(.+)": "workspace:\^"/g, (_, name) => {
      const { version } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
      return `"@plant-store/${name}": "^${version}"`;
    })
    .replace(/"(.+)": "catalog:"/g, (_, name) => {
      const [, version] = new RegExp(`^  "?${name}"?: (.+)$`, 'm').exec(workspace) ?? [];
      return `"${name}": "^${version}"`;
    });
}
