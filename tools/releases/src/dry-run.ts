// Does what a release does, and stops before it publishes: packs every package, and checks what it packed.
//
//   npx -y pnpm@12 release:dry-run

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tarballFaults } from './tarball-faults.ts';
import { packTarballs } from './tarballs.ts';

const directory = mkdtempSync(join(tmpdir(), 'plant-store-release-'));
try {
  process.stdout.write('packing …\n');
  const tarballs = await packTarballs(directory);
  for (const tarball of tarballs) {
    const faults = await tarballFaults(tarball);
    for (const fault of faults) process.stdout.write(`${fault}\n`);
    if (faults.length > 0) process.exitCode = 1;
    const verdict = faults.length === 0 ? 'could be published' : 'could not be published';
    process.stdout.write(`${tarball.name} ${tarball.version}: ${tarball.files.length} files, ${verdict}\n`);
  }
  process.stdout.write('nothing was published\n');
} finally {
  rmSync(directory, { recursive: true, force: true });
}
