// Refuses licences of what the service is installed with, unless they ask for no more than their own text beside what is
// handed on:
//
//   npx -y pnpm@12 check:licences

import { execFileSync } from 'node:child_process';

const allowed = '0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ISC MIT MIT-0 Unlicense'.split(' ');

// Of apps/api and all that it depends on. From the disk alone; no registry is asked.
const options = ['--filter-prod', '@plant-store/api...', 'licenses', 'list', '--prod', '--json'];
const licences: Record<string, { name: string }[]> = JSON.parse(execFileSync('pnpm', options, { encoding: 'utf8' }));
const refused = Object.entries(licences).filter(([licence]) => !isAllowed(licence));
for (const [licence, packages] of refused)
  process.stdout.write(`${licence} is not allowed: ${packages.map(({ name }) => name).join(', ')}\n`);
const count = Object.values(licences).flat().length;
process.stdout.write(`licences: ${count} packages looked at, ${refused.length} licences refused\n`);
process.exitCode = refused.length === 0 && count > 50 ? 0 : 1;

/** A choice is allowed where one of the licences is; anything that is more involved is for a person to read. */
function isAllowed(licence: string): boolean {
  return licence
    .replace(/^\(([^()]*)\)$/, '$1')
    .split(' OR ')
    .some((choice) => allowed.includes(choice));
}
