// Tells the owners of each port what a branch changes of it, and asks for a changeset that names the port's package: as
// major where the clauses of a contract differ. Refuses two clauses of one number. In GitHub Actions what it says stands
// at the changed file as well.
//
//   npx -y pnpm@12 contract-changes <commit that the branch began at>

import { readChangesets } from '@changesets/read';
import { say } from './annotation.ts';
import { branchSince } from './branch.ts';
import { type PortChange, portChanges } from './port-changes.ts';

const directory = process.cwd();
const [base = ''] = process.argv.slice(2);
try {
  const changes = portChanges(branchSince(directory, base));
  const releases = (await readChangesets(directory, base)).flatMap((changeset) => changeset.releases);

  for (const change of changes) announce('notice', change, reportOf(change));
  let complaints = 0;
  for (const change of changes) {
    const kinds = releases.filter(({ name }) => name === change.packageName).map(({ type }) => type);
    const complaint = complaintOf(change, kinds);
    if (complaint === undefined) continue;
    announce('error', change, complaint);
    complaints += 1;
  }
  const ambiguous = changes.filter(({ takenTwice }) => takenTwice.length > 0);
  for (const change of ambiguous) announce('error', change, ambiguityOf(change));
  process.stdout.write(`changed ports: ${changes.length}, without the changeset that they need: ${complaints}\n`);
  process.exitCode = complaints + ambiguous.length > 0 ? 1 : 0;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function complaintOf({ packageName, isBreaking }: PortChange, kinds: readonly string[]): string | undefined {
  const remedy = 'run "npx -y pnpm@12 changeset" and commit the file that it writes';
  if (kinds.length === 0) return `no changeset names ${packageName}${isBreaking ? ' as major' : ''}: ${remedy}`;
  if (!isBreaking || kinds.includes('major')) return undefined;
  return `its clauses differ, which binds every adapter, but the changeset says ${kinds.join(', ')}: write "${packageName}": major`;
}

function ambiguityOf({ takenTwice }: PortChange): string {
  return `more than one clause has the number ${takenTwice.join(' and ')}: take the next one after the last, and run "npx -y pnpm@12 api:update"`;
}

function reportOf({ owner, files, clauses }: PortChange): string {
  return [`for ${owner}, who own this port:`, ...clauses, ...files.map((file) => `changed file: ${file}`)].join('\n  ');
}

/** One annotation for each port: GitHub shows ten of a step. */
function announce(kind: 'notice' | 'error', { port, files: [file] }: PortChange, message: string): void {
  say({ kind, title: port, file, message });
}
