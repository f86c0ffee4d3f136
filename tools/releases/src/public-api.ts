// Compares what each published package promises in public with the reports that are committed; writes them with --update.
//
//   npx -y pnpm@12 api:check
//   npx -y pnpm@12 api:update
//   npx -y pnpm@12 api:update packages/domain

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { apiReports } from './api-reports.ts';
import { contractReports } from './contract-reports.ts';
import type { Report } from './report.ts';
import { publishedPackages, root } from './workspace.ts';

const { values, positionals: folders } = parseArgs({
  options: { update: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const { update } = values;
const packages = publishedPackages().filter(({ folder }) => folders.length === 0 || folders.includes(folder));
process.stdout.write(`reading the declarations of ${packages.length} packages …\n`);
const reports = [...apiReports(packages, update), ...(await contractReports(packages, update))];

const complaints = [...reports.flatMap(complaintsOf), ...strays(reports)];
for (const complaint of complaints) process.stdout.write(`${complaint}\n`);
const changed = reports.filter((report) => report.changed);
if (update) for (const { file } of changed) process.stdout.write(`written: ${file}\n`);
process.stdout.write(`${reports.length} reports, ${changed.length} ${update ? 'written' : 'changed'}\n`);
process.exitCode = complaints.length > 0 ? 1 : 0;

function complaintsOf({ file, changed, complaints }: Report): readonly string[] {
  if (!changed || update) return complaints;
  return [
    ...complaints,
    `${file} is not what the package exports: run "npx -y pnpm@12 api:update" and commit the file`,
  ];
}

/** Reports of what is not exported any more. */
function strays(kept: readonly Report[]): readonly string[] {
  const files = packages.flatMap(({ folder }) =>
    readdirSync(join(root, folder, 'api')).map((name) => `${folder}/api/${name}`),
  );
  const left = files.filter((file) => !kept.some((report) => report.file === file));
  if (update) for (const file of left) rmSync(join(root, file));
  return update ? [] : left.map((file) => `${file} reports on nothing: run "npx -y pnpm@12 api:update"`);
}
