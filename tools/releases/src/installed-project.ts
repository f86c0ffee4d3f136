import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.ts';
import type { Tarball } from './tarballs.ts';

/** A project of somebody else's, in a directory of its own, into which tarballs are installed with npm. */
export interface InstalledProject {
  /** Runs a module of the project, on this Node unless another is named, and resolves with what it printed. */
  runModule(
    file: string,
    nodeOptions?: readonly string[],
    env?: NodeJS.ProcessEnv,
    node?: string | undefined,
  ): Promise<string>;
  /** Compiles the project's TypeScript as strictly as it gets, declarations of the packages included. */
  typecheck(compiler: string, moduleResolution: 'nodenext' | 'bundler'): Promise<void>;
}

/**
 * @param from the folder with the project's own files.
 * @param packages what it needs of the registry: versions by name.
 */
export async function installProject(
  directory: string,
  from: string,
  tarballs: readonly Tarball[],
  packages: Readonly<Record<string, string>>,
): Promise<InstalledProject> {
  mkdirSync(directory, { recursive: true });
  cpSync(from, directory, { recursive: true });
  const ours = tarballs.map(({ name, path }) => [name, `file:${path}`]);
  const manifest = { private: true, type: 'module', dependencies: { ...Object.fromEntries(ours), ...packages } };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: directory,
    env: ownEnvironment(),
  });
  const files = readdirSync(directory).filter((file) => file.endsWith('.ts'));
  return {
    runModule: (file, nodeOptions = [], env = {}, node = process.execPath) =>
      run(node, [...nodeOptions, file], { cwd: directory, env: { ...ownEnvironment(), ...env } }),
    async typecheck(compiler, moduleResolution) {
      const config = { compilerOptions: compilerOptions(moduleResolution, packages), files };
      writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config));
      await run(process.execPath, [join('node_modules', compiler, 'bin/tsc'), '-p', '.'], { cwd: directory });
    },
  };
}

function compilerOptions(moduleResolution: 'nodenext' | 'bundler', packages: Readonly<Record<string, string>>): object {
  return {
    target: 'ES2024',
    lib: ['ES2024', 'ESNext.Disposable'],
    module: moduleResolution === 'nodenext' ? 'NodeNext' : 'Preserve',
    moduleResolution,
    types: '@types/node' in packages ? ['node'] : [],
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    // The declarations of the packages are checked as well.
    skipLibCheck: false,
  };
}

/** The environment without what the package manager of the workspace adds to it. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|pnpm_|NODE_OPTIONS$|NODE_ENV$)/i.test(name));
  return Object.fromEntries(own);
}
