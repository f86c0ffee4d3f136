// Packs every package that a release would publish, checks the tarballs with publint and attw, installs them with npm
// into an empty project, and uses them there in plain JavaScript and in strict TypeScript; then for the storage adapter
// of outside-adapter/, which is no part of the workspace. Publishes nothing:
//
//   npx -y pnpm@12 check:packages
//
// OLDER_NODE is the path of another Node for what needs the domain and the contracts alone.

import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { problemAffectsResolutionKind } from '@arethetypeswrong/core/problems';
import { startDedicatedServer } from '@plant-store/testing/postgres';
import { publint } from 'publint';
import { type Ended, useOutsideAdapter } from './use-outside-adapter.ts';

/** Not of the catalog: what others may have, whatever we have. */
const registry = { typescript: '7.0.2', 'typescript-5': 'npm:typescript@5.9.3', '@types/node': '26.6.6' };

/** For each program. npm asks a registry whose certificate is refused again for minutes. */
const ENOUGH_MS = 180_000;

const root = join(import.meta.dirname, '../..');
const directory = mkdtempSync(join(tmpdir(), 'plant-store-packages-'));
// Beside it: what is installed there would be found from below.
const outside = mkdtempSync(join(tmpdir(), 'plant-store-outside-'));
// What the workspace's package manager adds would lead npm and Node back to the workspace.
const own = Object.entries(process.env).filter(([name]) => !/^(npm_|pnpm_|NODE_OPTIONS$|NODE_ENV$)/i.test(name));
const environment = Object.fromEntries(own);

try {
  const tarballs = globSync('{contracts,libraries,packages}/*/package.json', { cwd: root }).flatMap(pack);
  for (const { path } of tarballs) await checkTarball(path);
  const files = Object.fromEntries(tarballs.map(({ name, path }) => [name, `file:${path}`]));
  await useInProject(files);
  await useOutsideAdapter(root, outside, files, (program, args, cwd, added) =>
    runToEnd(program, args, cwd, { ...environment, ...added }),
  );
} finally {
  for (const made of [directory, outside]) rmSync(made, { recursive: true, force: true });
}

function pack(path: string): readonly { readonly name: string; readonly path: string }[] {
  const manifest = JSON.parse(readFileSync(join(root, path), 'utf8'));
  if (manifest.private) return [];
  const printed = run('pnpm', ['pack', '--json', '--pack-destination', directory], process.env, join(root, path, '..'));
  process.stdout.write(`packed ${manifest.name}\n`);
  return [{ name: manifest.name, path: JSON.parse(printed).filename }];
}

/** What publint and attw («are the types wrong?») find. Node since 20.19 can `require` modules: there is no CommonJS. */
async function checkTarball(path: string): Promise<void> {
  const bytes = new Uint8Array(readFileSync(path));
  const { messages } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  const analysis = await checkPackage(createPackageFromTarballData(bytes));
  if (!analysis.types) throw new Error(`${path} has no types`);
  const problems = (['node16-esm', 'bundler'] as const).flatMap((kind) =>
    analysis.problems.filter((problem) => problemAffectsResolutionKind(problem, kind, analysis)),
  );
  if (messages.length + problems.length === 0) return;
  throw new Error(`${path}: ${JSON.stringify([...messages, ...problems], undefined, 2)}`);
}

async function useInProject(tarballs: Readonly<Record<string, string>>): Promise<void> {
  cpSync(join(import.meta.dirname, 'consumer'), directory, { recursive: true });
  const dependencies = { ...tarballs, ...registry };
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);

  process.stdout.write(run(process.env['OLDER_NODE'] ?? process.execPath, ['store.js']));
  await using resources = new AsyncDisposableStack();
  const postgres = await startDedicatedServer();
  resources.defer(() => postgres.stop());
  // Whoever sets the condition that leads to sources in the workspace gets what was built, too.
  for (const options of [[], ['--conditions=development']])
    process.stdout.write(run(process.execPath, [...options, 'service.js', postgres.url]));

  // The commands of the contracts, as npx runs them.
  run('npx', ['@plant-store/contracts-http', '--version']);
  run('npx', ['@plant-store/contracts-stores', '--url', 'sqlite:plants.db', '--only', 'PLACE,PR-1']);

  for (const compiler of ['typescript', 'typescript-5']) {
    for (const [moduleResolution, module] of [
      ['nodenext', 'nodenext'],
      ['bundler', 'preserve'],
    ] as const) {
      const options = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--target', 'es2024', '--types', 'node'];
      const tsc = join(directory, 'node_modules', compiler, 'bin/tsc');
      run(process.execPath, [
        tsc,
        ...options,
        '--module',
        module,
        '--moduleResolution',
        moduleResolution,
        'store.ts',
        'service.ts',
      ]);
      process.stdout.write(`compiles with ${compiler}, ${moduleResolution}\n`);
    }
  }
}

/** What a program printed on standard output; its failure ends this one. */
function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = environment, cwd = directory): string {
  const { code, output, errors } = runToEnd(program, args, cwd, env);
  if (code === 0) return output;
  throw new Error(`${program} ${args.join(' ')} failed (${code}):\n${output}${errors}`);
}

function runToEnd(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = environment): Ended {
  const options = { cwd, env, encoding: 'utf8', timeout: ENOUGH_MS, killSignal: 'SIGKILL' } as const;
  const { error, status, signal, stdout, stderr } = spawnSync(program, args, options);
  if (error) throw error;
  return { code: status ?? signal ?? 'unknown', output: stdout, errors: stderr };
}
