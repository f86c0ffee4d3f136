// Makes packages/adapters-<name> from the templates beside this file and wires it into the workspace: all but its row in
// apps/api/src/stores/engines.ts. It compiles, is linted clean, and its contract is red until its author has implemented it.
//
//   npx -y pnpm@12 new:storage-adapter <name> [--client <npm package>] [--server] | --outside <directory>
//
// --outside makes a package that is no part of this repository, for a service that has it as STORAGE_ADAPTER. --client is the engine's client: it becomes a dependency, and is granted to the adapter. --server also makes
// packages/testing-<name>, which starts the engine's server for the tests, with its projects, its task and its row in CI.

import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type AdapterNames, adapterNames, faultOfName, renamed } from './adapter-name.ts';
import { withOwner } from './code-owners-row.ts';
import { withEntry, withLink } from './lockfile-entry.ts';
import { asOutside, faultOfDirectory, removeOwn, withVersions } from './outside-package.ts';
import { json, withTechnologies, withWorkspacePackage } from './wiring.ts';

const root = join(import.meta.dirname, '../..');
const { name, server, clients, outside } = parsed();
const names = adapterNames(name);
if (outside !== undefined) {
  makeOutside(outside);
  process.exit();
}
const adapter = `packages/adapters-${name}`;
const testing = `packages/testing-${name}`;

makePackage('storage-adapter', adapter, names);
change(`${adapter}/package.json`, (text) => clients.reduce(withClient, text));
if (server) {
  makePackage('server-adapter', adapter, names);
  makePackage('testing-server', testing, names);
  change(`${adapter}/package.json`, withServerTests);
}
wire(adapter, 'packages/adapters-sqlite', 'dependencies');
if (server) {
  wire(testing, 'packages/testing-postgres', 'devDependencies');
  change('pnpm-lock.yaml', (text) => withLink(text, adapter, 'devDependencies', `@plant-store/testing-${name}`));
}
change('.dependency-cruiser.mjs', (text) => withTechnologies(text, `adapters-${name}`, clients));

const missing = clients.filter((client) => !isInCatalog(client));
if (missing.length === 0) run('pnpm', ['install', '--frozen-lockfile', '--offline']);
else {
  // From the registry. The catalog is for what several packages use.
  run('pnpm', ['--filter', `@plant-store/adapters-${name}`, 'add', '--save-exact', ...missing]);
  // That links the one package: the testing package, and what apps/api has of both, come with all.
  run('pnpm', ['install', '--prefer-offline']);
}
// How long a line is and how imports are sorted depends on the name.
const made = [adapter, ...(server ? [testing] : [])];
run('biome', ['check', '--write', ...made, 'apps/api/package.json', '.dependency-cruiser.mjs']);
for (const folder of made) run('tsc', ['-p', folder]);
run(process.execPath, ['--conditions=development', 'tools/documents/main.ts']);
process.stdout.write(`
${made.join(' and ')}: made and wired into the workspace. The contract is red, and says what to fill in next:

  npx -y pnpm@12 test --project adapters-${name}

docs/storage-adapters.md leads from here to DATABASE_URL=${name}:…
`);

function parsed(): { name: string; server: boolean; clients: readonly string[]; outside: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        server: { type: 'boolean', default: false },
        client: { type: 'string', multiple: true, default: [] },
        outside: { type: 'string' },
      },
    });
    const [first = '', ...others] = positionals;
    const { server, client: clients } = values;
    // Where the command was typed: pnpm runs it in the root.
    const outside = values.outside && resolve(process.env['INIT_CWD'] ?? '.', values.outside);
    const fault =
      others.length > 0
        ? `one name is expected, ${1 + others.length} came`
        : outside !== undefined && (server || clients.length > 0)
          ? '--outside goes with neither --client nor --server: add what the package needs there'
          : (faultOfName(first, readdirSync(join(root, 'packages'))) ?? (outside && faultOfDirectory(outside)));
    if (!fault) return { name: first, server, clients, outside };
    throw new Error(fault);
  } catch (error) {
    const [reason = ''] = (error as Error).message.split(/\. |\n/);
    return fail(
      `${reason}: npx -y pnpm@12 new:storage-adapter <name> [--client <npm package>] [--server] | --outside <directory>`,
    );
  }
}

function makeOutside(directory: string): void {
  makePackage('storage-adapter', directory, names, (text) => asOutside(text, name));
  removeOwn(directory);
  makePackage('outside-adapter', directory, names, (text) => withVersions(text, root));
  process.stdout.write(`
${directory}: made, and no part of this repository. Its contract is red, and says what to fill in next:

  cd ${directory}
  npm install
  npm test

docs/storage-adapters.md leads from here to STORAGE_ADAPTER=plants-on-${name} DATABASE_URL=${name}:…
`);
}

/** @param changed what else becomes of the text of each file. */
function makePackage(template: string, folder: string, as: AdapterNames, changed = (text: string) => text): void {
  const directory = resolve(root, folder);
  cpSync(join(import.meta.dirname, 'templates', template), directory, { recursive: true });
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    writeFileSync(path, changed(renamed(readFileSync(path, 'utf8'), as)));
    renameSync(path, join(entry.parentPath, renamed(entry.name, as)));
  }
}

/** A client that the catalog does not have is added by pnpm, later. */
function withClient(manifest: string, client: string): string {
  return isInCatalog(client) ? withWorkspacePackage(manifest, 'dependencies', client, 'catalog:') : manifest;
}

function isInCatalog(client: string): boolean {
  const workspace = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');
  return [client, `"${client}"`].some((key) => workspace.includes(`\n  ${key}: `));
}

function withServerTests(manifest: string): string {
  const text = withWorkspacePackage(manifest, 'devDependencies', `@plant-store/testing-${name}`);
  const { scripts, ...others } = JSON.parse(text);
  const all = { ...scripts, [`test:${name}`]: `vitest run --root ../.. --project api-${name}` };
  return json({ ...others, scripts: all });
}

/** Has a package in the lockfile, with the entries of a model, in apps/api, and among those that have an owner. */
function wire(folder: string, model: string, kind: 'dependencies' | 'devDependencies'): void {
  const {
    name: packageName,
    dependencies,
    devDependencies,
  } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const needed = Object.keys({ ...dependencies, ...devDependencies });
  change('apps/api/package.json', (text) => withWorkspacePackage(text, kind, packageName));
  change('pnpm-lock.yaml', (text) => withLink(withEntry(text, folder, needed, model), 'apps/api', kind, packageName));
  change('.github/CODEOWNERS', (text) => withOwner(text, folder, `@plant-store/adapters-${name}-owners`));
}

function change(path: string, changed: (text: string) => string): void {
  writeFileSync(join(root, path), changed(readFileSync(join(root, path), 'utf8')));
}

function run(command: string, args: readonly string[]): void {
  try {
    execFileSync(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    const output = `${stdout}${stderr}`.trim() || message;
    fail(`${output}

${adapter} is written, but "${command} ${args.join(' ')}" failed. Fix that, then run these:

  npx -y pnpm@12 install
  npx -y pnpm@12 format
  npx -y pnpm@12 docs:update

Or undo all that was written, which "git status" lists, and run the generator again.`);
  }
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
