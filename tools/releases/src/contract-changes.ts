// Tells the owners of each port what a branch changes of it, and asks for a changeset that names the port's package. In
// GitHub Actions what it says stands at the changed file as well.
//
//   npx -y pnpm@12 contract-changes <commit that the branch began at>

import { readChangesets } from '@changesets/read';
import { type PortChange, portChanges } from './port-changes.ts';

const directory = process.cwd();
const [base = ''] = process.argv.slice(2);
try {
  if (base === '')
    throw new Error('name the commit that the branch began at: npx -y pnpm@12 contract-changes <commit>');
  const changes = portChanges(directory, base);
  const changesets = await readChangesets(directory, base);
  const released = new Set(changesets.flatMap(({ releases }) => releases.map(({ name }) => name)));
  const unnamed = changes.filter(({ packageName }) => !released.has(packageName));

  for (const change of changes) say('notice', change, reportOf(change));
  for (const change of unnamed) say('error', change, `no changeset names ${change.packageName}: ${remedy()}`);
  process.stdout.write(`changed ports: ${changes.length}, without a changeset: ${unnamed.length}\n`);
  process.exitCode = unnamed.length > 0 ? 1 : 0;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function reportOf({ owner, files, clauses }: PortChange): string {
  return [`for ${owner}, who own this port:`, ...clauses, ...files.map((file) => `changed file: ${file}`)].join('\n  ');
}

/** One annotation for each port: GitHub shows ten of a step. */
function say(kind: 'notice' | 'error', { port, files: [file] }: PortChange, message: string): void {
  const escaped = message.replaceAll('%', '%25').replaceAll('\n', '%0A');
  const inActions = process.env['GITHUB_ACTIONS'] === 'true';
  process.stdout.write(inActions ? `::${kind} file=${file},title=${port}::${escaped}\n` : `${port}: ${message}\n`);
}

function remedy(): string {
  return 'run "npx -y pnpm@12 changeset" and commit the file that it writes';
}
