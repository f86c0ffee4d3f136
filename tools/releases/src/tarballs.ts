import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.ts';
import { publishedPackages, root } from './workspace.ts';

/** A package as the registry would get it. */
export interface Tarball {
  readonly name: string;
  readonly version: string;
  /** The file, an absolute path. */
  readonly path: string;
  /** What it holds, from the folder of the package: `dist/index.js`. */
  readonly files: readonly string[];
  /** The text of its package.json. */
  readonly manifest: string;
  /** The text of its README.md. */
  readonly readme: string;
}

/** Packs every package that a release would publish, as `pnpm publish` does, into a directory. Needs the build. */
export async function packTarballs(into: string): Promise<readonly Tarball[]> {
  const tarballs: Tarball[] = [];
  for (const { folder } of publishedPackages()) {
    const printed = await run('pnpm', ['pack', '--json', '--pack-destination', into], { cwd: join(root, folder) });
    const { name, version, filename: path, files } = JSON.parse(printed);
    const [manifest = '', readme = ''] = await Promise.all(
      ['package.json', 'README.md'].map((file) => run('tar', ['-xzOf', path, `package/${file}`], { cwd: root })),
    );
    tarballs.push({ name, version, path, files: files.map((file: { path: string }) => file.path), manifest, readme });
  }
  return tarballs;
}

/** The bytes of a tarball. */
export function bytesOf({ path }: Tarball): ArrayBuffer {
  return new Uint8Array(readFileSync(path)).buffer;
}
