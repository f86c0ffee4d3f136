import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { linkFaults } from './link-faults.ts';
import { run } from './run.ts';
import { bytesOf, type Tarball } from './tarballs.ts';
import { root } from './workspace.ts';

/** What is wrong with a tarball, a line each: its contents, its manifest, its README, and what publint and attw say of it. */
export async function tarballFaults(tarball: Tarball): Promise<readonly string[]> {
  const faults = [...contentFaults(tarball.files), ...manifestFaults(tarball.manifest)];
  faults.push(...linkFaults(tarball.readme, tarball.files));
  faults.push(...(await publintFaults(tarball)), ...(await typeFaults(tarball)));
  return faults.map((fault) => `${tarball.name}: ${fault}`);
}

/** Nothing is missing, nothing is there that is of no use outside, and nothing is left of a file that was deleted. */
export function contentFaults(files: readonly string[]): readonly string[] {
  const missing = EXPECTED.filter((file) => !files.includes(file));
  const others = files.filter((file) => !ALLOWED.test(file));
  const stale = files.filter((file) => {
    const source = /^dist\/(.*?)(\.d\.ts|\.js)(\.map)?$/.exec(file)?.[1];
    return source !== undefined && !files.includes(`src/${source}.ts`);
  });
  return [
    ...missing.map((file) => `${file} is missing: name it in "files" of package.json`),
    ...others.map((file) => `${file} does not belong into a tarball: take it out of "files" in package.json`),
    ...stale.map((file) => `${file} has no source any more: remove dist and build again`),
  ];
}

const EXPECTED: readonly string[] = ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist/index.d.ts', 'dist/index.js'];
const ALLOWED =
  /^(package\.json|CHANGELOG\.md|LICENSE|README\.md|openapi\.json|docs-page\/.*\.(html|css|js|svg|png)|src\/.*\.ts|dist\/.*\.(js|d\.ts)(\.map)?)$/;

/** The manifest says nothing that holds in the workspace alone. */
export function manifestFaults(manifest: string): readonly string[] {
  const found = ['workspace:', 'catalog:', '"development"', '"scripts"', '"devDependencies"'].filter((text) =>
    manifest.includes(text),
  );
  return found.map((text) => `its package.json holds ${text}: pack with pnpm, and look at .pnpmfile.mjs`);
}

async function publintFaults(tarball: Tarball): Promise<readonly string[]> {
  const { messages, pkg } = await publint({ pack: { tarball: bytesOf(tarball) }, strict: true });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`);
}

/** Are the types wrong? Node since version 20.19 can `require` modules, so there is no CommonJS beside them. */
async function typeFaults({ path }: Tarball): Promise<readonly string[]> {
  try {
    const attw = join(root, 'tools/releases/node_modules/.bin/attw');
    await run(attw, [path, '--profile', 'esm-only', '--format', 'ascii', '--no-color', '--no-emoji'], { cwd: root });
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
