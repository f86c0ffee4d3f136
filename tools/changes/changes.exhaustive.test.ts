import { chmodSync, cpSync, globSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { files, root, run } from '../repository.ts';
import { changes, patchOf } from './changes.ts';

/** A copy of the repository. Its packages import each other in the copy, and installed ones from the original. */
function copyOfRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'plant-store-change-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  // Some tests run as another user.
  chmodSync(copy, 0o755);
  const links = globSync('{apps,contracts,libraries,packages}/*/node_modules', { cwd: root });
  const nested = globSync(['contracts/http/mutants/node_modules', '{bench,testing,tools}/node_modules'], { cwd: root });
  for (const path of [...files(), ...links, ...nested])
    cpSync(join(root, path), join(copy, path), { recursive: true, verbatimSymlinks: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** What a change must keep: types, the contracts of HTTP and of stores in memory and on SQLite and PostgreSQL, and their mutants. */
const PROJECTS = [
  'adapters-http',
  'adapters-memory',
  'adapters-postgres',
  'adapters-sqlite',
  'contracts-http-mutants',
  'contracts-stores',
  'domain',
  'store-kit',
];

/** Of each project the contract and its mutants, the description and the migrations. */
const TESTS = ['contract', 'openapi', 'migrations'];

test.each(changes)('%s.patch applies, compiles, and keeps the contracts', { timeout: 600_000 }, (change) => {
  const copy = copyOfRepository();
  run(copy, 'git', 'apply', join(root, patchOf(change)));
  run(copy, 'pnpm', 'exec', 'turbo', 'run', 'typecheck', '--no-cache');
  run(copy, 'pnpm', 'exec', 'vitest', 'run', ...PROJECTS.flatMap((name) => ['--project', name]), ...TESTS);
});
