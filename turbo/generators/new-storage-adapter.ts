// Makes packages/adapters-<name> from the templates beside this file and wires it into the workspace. It compiles, is
// linted clean, and its contract is red until its author has implemented it.
//
//   npx -y pnpm@12 new:storage-adapter <name>

import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adapterNames, faultOfName, renamed } from './adapter-name.ts';
import { withOwner } from './code-owners-row.ts';
import { withEntry } from './lockfile-entry.ts';

const root = join(import.meta.dirname, '../..');
const [name = '', ...others] = process.argv.slice(2);
const fault = others.length > 0 ? `one name is expected, ${1 + others.length} came` : faultOfName(name, taken());
if (fault) fail(`${fault}: npx -y pnpm@12 new:storage-adapter <name>`);

const folder = `packages/adapters-${name}`;
writePackage(join(root, folder));
writeLockfileEntry();
const codeOwners = join(root, '.github/CODEOWNERS');
writeFileSync(codeOwners, withOwner(readFileSync(codeOwners, 'utf8'), folder, `@plant-store/adapters-${name}-owners`));
run('pnpm', ['install', '--frozen-lockfile', '--offline']);
// How long a line is and how imports are sorted depends on the name.
run('biome', ['check', '--write', folder]);
run('tsc', ['-b', folder]);
run(process.execPath, ['--conditions=development', 'tools/documents/main.ts']);
process.stdout.write(`
${folder} is made and wired into the workspace. Its contract is red, and says what to fill in next:

  npx -y pnpm@12 test --project adapters-${name}

docs/storage-adapters.md leads from here to DATABASE_URL=${name}:…
`);

function taken(): readonly string[] {
  const folders = readdirSync(join(root, 'packages'));
  return folders.filter((each) => each.startsWith('adapters-')).map((each) => each.slice('adapters-'.length));
}

function writePackage(directory: string): void {
  cpSync(join(import.meta.dirname, 'templates/storage-adapter'), directory, { recursive: true });
  const names = adapterNames(name);
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    writeFileSync(path, renamed(readFileSync(path, 'utf8'), names));
    renameSync(path, join(entry.parentPath, renamed(entry.name, names)));
  }
}

function writeLockfileEntry(): void {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const names = Object.keys({ ...dependencies, ...devDependencies });
  const path = join(root, 'pnpm-lock.yaml');
  writeFileSync(path, withEntry(readFileSync(path, 'utf8'), folder, names, 'packages/adapters-sqlite'));
}

function run(command: string, args: readonly string[]): void {
  try {
    execFileSync(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    const output = `${stdout}${stderr}`.trim() || message;
    fail(`${output}\n\n${folder} is written, but "${command} ${args.join(' ')}" failed: fix that and run it again`);
  }
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
