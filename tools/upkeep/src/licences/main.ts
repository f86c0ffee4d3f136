// Holds the licences of what the service installs against those that are allowed, and docs/licences.md against what is
// installed:
//
//   npx -y pnpm@12 check-licences [--write]

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Licences, licencesPage, refusedLicences } from './check-licences.ts';

const root = join(import.meta.dirname, '../../../..');
const page = join(root, 'docs/licences.md');
// Of apps/api and all that it depends on. From the disk alone; no registry is asked.
const listed = execFileSync('pnpm', ['--filter-prod', '@plant-store/api...', 'licenses', 'list', '--prod', '--json'], {
  cwd: root,
  encoding: 'utf8',
});
const licences: Licences = JSON.parse(listed);
const packages = Object.values(licences).flat().length;

if (process.argv.includes('--write')) writeFileSync(page, licencesPage(licences));
const refused = refusedLicences(licences);
for (const line of refused)
  process.stderr.write(
    `${line} is not allowed: choose another package, or allow it in tools/upkeep/src/licences/allowed.ts\n`,
  );
const isCurrent = readFileSync(page, 'utf8') === licencesPage(licences);
if (!isCurrent) process.stderr.write('docs/licences.md is out of date: npx -y pnpm@12 check-licences --write\n');
process.stdout.write(`licences: ${packages} packages looked at, ${refused.length} refused\n`);
process.exitCode = refused.length === 0 && isCurrent && packages > 0 ? 0 : 1;
