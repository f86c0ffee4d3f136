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

/** The projects that a change may break, and of the slow ones only the tests that check it. */
const RUNS = [
  [
    [
      'adapters-http',
      'adapters-memory',
      'adapters-sqlite',
      'contracts-http-mutants',
      'contracts-stores',
      'domain',
      'store-kit',
    ],
    [],
  ],
  [
    ['adapters-postgres', 'api', 'api-postgres'],
    ['contract', 'migrations'],
  ],
] as const;

test.each(changes)('%s.patch applies, compiles, and keeps the contracts', { timeout: 600_000 }, (change) => {
  const copy = copyOfRepository();
  run(copy, 'git', 'apply', join(root, patchOf(change)));
  run(copy, 'pnpm', 'exec', 'turbo', 'run', 'typecheck', '--no-cache');
  for (const [projects, filters] of RUNS)
    run(copy, 'pnpm', 'exec', 'vitest', 'run', ...projects.flatMap((name) => ['--project', name]), ...filters);
});
