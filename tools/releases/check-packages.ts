// Packs every package that a release would publish and uses the tarballs outside the workspace: publint and attw check them, every
// export is imported and compiled, and the contracts and the storage adapter in outside-adapter/ run on them. So does that
// adapter with a next version of domain, while it keeps its own copy of this one. Publishes nothing:
//
//   npx -y pnpm@12 check:packages
//
// OLDER_NODE is the path of an older Node, for the packages that support it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { problemAffectsResolutionKind } from '@arethetypeswrong/core/problems';
import { startDedicatedServer } from '@plant-store/testing/postgres';
import { publint } from 'publint';

/** A package that a release would publish. */
interface Packed {
  readonly name: string;
  readonly tarball: string;
  /** The module names that it exports. */
  readonly imports: readonly string[];
  readonly runsOnOlderNode: boolean;
}

const root = join(import.meta.dirname, '../..');
const directory = mkdtempSync(join(tmpdir(), 'plant-store-packages-'));
const outsideAdapter = join(directory, 'outside-adapter');
// Variables of the workspace's package manager would lead npm and Node back to the workspace.
const own = Object.entries(process.env).filter(([name]) => !/^(npm_|pnpm_|NODE_OPTIONS$|NODE_ENV$)/i.test(name));
const environment = Object.fromEntries(own);

try {
  const packages = globSync('{clients,contracts,libraries,packages}/*/package.json', { cwd: root }).flatMap(pack);
  for (const { tarball } of packages) await checkTarball(tarball);
  const tarballs = Object.fromEntries(packages.map(({ name, tarball }) => [name, `file:${tarball}`]));
  const adapter = await useOutsideAdapter(tarballs);
  useNextDomain(tarballs);
  await useAll(packages, { ...tarballs, 'plants-on-file-log': `file:${adapter}` });
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function pack(path: string): readonly Packed[] {
  const { name, private: isPrivate, exports, engines } = JSON.parse(readFileSync(join(root, path), 'utf8'));
  if (isPrivate) return [];
  const printed = run(join(root, path, '..'), 'pnpm', ['pack', '--json', '--pack-destination', directory]);
  const imports = Object.keys(exports).map((each) => join(name, each));
  return [{ name, tarball: JSON.parse(printed).filename, imports, runsOnOlderNode: engines.node !== '>=26' }];
}

/** Checks a tarball with publint and attw, but not for CommonJS, because Node since 20.19 can `require` modules. */
async function checkTarball(path: string): Promise<void> {
  const bytes = new Uint8Array(readFileSync(path));
  const { messages } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  const analysis = await checkPackage(createPackageFromTarballData(bytes));
  assert.ok(analysis.types, `${path} has no types`);
  const problems = (['node16-esm', 'bundler'] as const).flatMap((kind) =>
    analysis.problems.filter((problem) => problemAffectsResolutionKind(problem, kind, analysis)),
  );
  assert.deepEqual([...messages, ...problems], [], path);
}

/** Installs the adapter with pnpm; typechecks, tests and packs it as its own team would. Returns the path of its tarball. */
async function useOutsideAdapter(tarballs: Readonly<Record<string, string>>): Promise<string> {
  const adapter = outsideAdapter;
  cpSync(join(import.meta.dirname, 'outside-adapter'), adapter, { recursive: true });
  // Its dependencies, and theirs, are not in a registry yet.
  const manifest = JSON.parse(readFileSync(join(adapter, 'package.json'), 'utf8'));
  for (const kind of ['dependencies', 'devDependencies', 'peerDependencies'])
    for (const name of Object.keys(manifest[kind])) manifest[kind][name] = tarballs[name] ?? manifest[kind][name];
  writeFileSync(join(adapter, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(adapter, 'pnpm-workspace.yaml'), JSON.stringify({ overrides: tarballs }));
  run(adapter, 'pnpm', ['install', '--ignore-scripts']);
  run(adapter, 'npm', ['run', 'typecheck']);
  run(adapter, 'npm', ['test']);
  return join(adapter, run(adapter, 'npm', ['pack', '--silent']).trim().split('\n').at(-1) ?? '');
}

/** Uses the adapter from outside, which has this version of domain, in a project whose domain and HTTP have another operation. */
function useNextDomain(tarballs: Readonly<Record<string, string>>): void {
  const project = join(directory, 'next');
  const overrides = { ...tarballs, ...packNext() };
  const names = ['adapters-http', 'adapters-tokens', 'contracts-stores', 'domain'].map(
    (name) => `@plant-store/${name}`,
  );
  const dependencies = Object.fromEntries(Object.entries(overrides).filter(([name]) => names.includes(name)));
  install(project, { private: true, type: 'module', dependencies, overrides });
  cpSync(join(import.meta.dirname, 'consumer'), project, { recursive: true });
  const adapter = join(outsideAdapter, 'refusing-file-log.js');
  cpSync(join(project, 'refusing-file-log.js'), adapter);

  run(project, process.execPath, ['next-service.js', adapter]);
  const settings = { STORAGE_ADAPTER: adapter, DATABASE_URL: 'file-log:plants.log' };
  const report = JSON.parse(run(project, 'npx', ['@plant-store/contracts-stores', '--json'], settings));
  // StoreUnavailable and PlantRefused.
  for (const clause of ['PR-15', 'PR-16'])
    assert.equal(report.results.find(({ id }: { id: string }) => id === clause).verdict, 'passed', clause);
}

/** Packs domain and adapters-http as they are once they have another operation. Returns the tarballs by their names. */
function packNext(): Readonly<Record<string, string>> {
  const workspace = join(directory, 'workspace');
  const paths = ['packages/domain', 'packages/adapters-http'];
  const shared = ['package.json', 'pnpm-workspace.yaml', 'tsconfig.base.json', 'tsconfig.build.base.json'];
  for (const path of [...paths, ...shared])
    cpSync(join(root, path), join(workspace, path), { recursive: true, verbatimSymlinks: true });
  symlinkSync(join(root, 'node_modules'), join(workspace, 'node_modules'));
  const included = paths.map((path) => `--include=${path}/*`);
  run(workspace, 'git', ['apply', ...included, join(root, 'tools/changes/add-operation.patch')]);
  const tarballs = paths.map((path) => {
    const file = join(workspace, path, 'package.json');
    // The workspace of the copy has none of the packages for tests.
    const { devDependencies: _, ...manifest } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...manifest, version: manifest.version.replace(/\.\d+\.\d+$/, '.99.0') }));
    run(join(workspace, path), join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json']);
    const printed = run(join(workspace, path), 'pnpm', ['pack', '--json', '--pack-destination', workspace]);
    return [manifest.name, `file:${JSON.parse(printed).filename}`];
  });
  return Object.fromEntries(tarballs);
}

/** Uses all packages in an empty project, into which npm installs them. */
async function useAll(packages: readonly Packed[], tarballs: Readonly<Record<string, string>>): Promise<void> {
  const project = join(directory, 'project');
  // Versions that others may have, independent of the catalog.
  const compilers = { typescript: '7.0.2', 'typescript-5': 'npm:typescript@5.9.3' };
  const registry = { ...compilers, '@types/node': '26.6.6', express: '5.3.0', vitest: '5.1.0' };
  install(project, { private: true, type: 'module', dependencies: { ...tarballs, ...registry }, overrides: tarballs });

  const { execPath } = process;
  const olderNode = process.env['OLDER_NODE'] ?? execPath;
  const older = packages.filter(({ runsOnOlderNode }) => runsOnOlderNode);
  for (const [name, these] of [['all', packages] as const, ['older', older] as const]) {
    const modules = these.flatMap(({ imports }) => imports).filter((each) => !each.endsWith('/vitest'));
    assert.ok(modules.length > these.length);
    writeFileSync(join(project, `${name}.js`), modules.map((each) => `import '${each}';\n`).join(''));
  }
  run(project, execPath, ['all.js']);
  // The condition that selects sources in the workspace selects the build here.
  run(project, execPath, ['--conditions=development', 'all.js']);
  run(project, olderNode, ['older.js']);

  const types = packages.flatMap(({ imports }) => imports).map((each, at) => `export * as m${at} from '${each}';\n`);
  writeFileSync(join(project, 'types.ts'), types.join(''));
  cpSync(join(import.meta.dirname, 'consumer'), project, { recursive: true });
  for (const compiler of Object.keys(compilers))
    for (const [moduleResolution, module] of [
      ['nodenext', 'nodenext'],
      ['bundler', 'preserve'],
    ] as const) {
      const options = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--target', 'es2024', '--types', 'node'];
      const resolution = ['--module', module, '--moduleResolution', moduleResolution];
      const compiled = ['types.ts', 'file-engine.test.ts'];
      run(project, execPath, [`node_modules/${compiler}/bin/tsc`, ...options, ...resolution, ...compiled]);
    }
  run(project, 'npx', ['vitest', 'run']);

  const verifyStore = join(project, 'node_modules/@plant-store/contracts-stores/dist/cli/main.js');
  run(project, olderNode, [verifyStore, '--url', 'memory:']);
  await using resources = new AsyncDisposableStack();
  const postgres = await startDedicatedServer();
  resources.defer(() => postgres.stop());
  for (const url of ['sqlite:plants.db', postgres.url])
    run(project, 'npx', ['@plant-store/contracts-stores', '--url', url]);
  run(project, execPath, ['service.js']);
  run(project, execPath, ['express-server.js']);

  // One setting gives the built service the adapter from outside.
  const settings = { STORAGE_ADAPTER: 'plants-on-file-log', DATABASE_URL: 'file-log:plants.log' };
  run(project, 'npx', ['@plant-store/contracts-stores'], settings);
  const plants = '{"id":9007199254740993,"name":"Fern","tag":""}\n';
  writeFileSync(join(project, 'plants.ndjson'), plants);
  const plantStore = (...args: string[]) =>
    run(project, execPath, [join(root, 'apps/api/dist/main.js'), ...args], settings);
  assert.equal(plantStore('migrate', 'up'), 'this store has no schema\n');
  plantStore('import', 'plants.ndjson');
  assert.equal(plantStore('export'), plants);
}

function install(project: string, manifest: object): void {
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  run(project, 'npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
}

/** Runs a program and returns its standard output. @throws {AssertionError} if it fails. */
function run(cwd: string, program: string, args: readonly string[], added: NodeJS.ProcessEnv = {}): string {
  process.stdout.write(`${[program, ...args].join(' ')}\n`);
  // npm retries for minutes if the certificate of a registry is rejected.
  const options = {
    cwd,
    env: { ...environment, ...added },
    encoding: 'utf8',
    timeout: 180_000,
    killSignal: 'SIGKILL',
  } as const;
  const { error, status, signal, stdout, stderr } = spawnSync(program, args, options);
  if (error) throw error;
  assert.equal(status ?? signal, 0, `${stdout}${stderr}`);
  return stdout;
}
