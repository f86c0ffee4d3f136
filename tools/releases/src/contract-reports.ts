import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Report } from './report.ts';
import { root, type WorkspacePackage } from './workspace.ts';

/** A contract, as far as a list of its clauses takes. */
interface ListedContract {
  readonly name: string;
  readonly clauses: readonly { readonly id: string; readonly title: string }[];
}

/** The clauses of every contract that these packages export, as `tsc -b` has built them. */
export async function contractReports(
  of: readonly WorkspacePackage[],
  update: boolean,
  inRoot: string = root,
): Promise<readonly Report[]> {
  const reports = await Promise.all(
    of.map(async (each) => (await contractsOf(each, inRoot)).map((one) => [each, one] as const)),
  );
  return reports.flat().map(([each, contract]) => compared(each, contract, update, inRoot));
}

function compared(
  { name, folder }: WorkspacePackage,
  contract: ListedContract,
  update: boolean,
  inRoot: string,
): Report {
  const file = `${folder}/api/${kebab(contract.name)}.contract.md`;
  const path = join(inRoot, file);
  const text = contractReport(name, contract);
  const changed = !existsSync(path) || readFileSync(path, 'utf8') !== text;
  if (changed && update) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return { file, changed, complaints: [] };
}

/** The text of a report; {@link clausesOf} reads it back. */
export function contractReport(packageName: string, { name, clauses }: ListedContract): string {
  const lines = clauses.map(({ id, title }) => `- **${id}** ${title}\n`);
  return `# ${name} contract of ${packageName}\n\nWritten by \`npx -y pnpm@12 api:update\`, not by hand.\n\n${lines.join('')}`;
}

/** The title of each clause in a report's text, by its number. */
export function clausesOf(report: string): ReadonlyMap<string, string> {
  return new Map([...report.matchAll(CLAUSE)].map(([, id = '', title = '']) => [id, title]));
}

/** The numbers that more than one clause of a report's text has. */
export function numbersTakenTwice(report: string): readonly string[] {
  const ids = [...report.matchAll(CLAUSE)].map(([, id = '']) => id);
  return [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))];
}

const CLAUSE = /^- \*\*(\S+)\*\* (.*)$/gm;

async function contractsOf(
  { folder, entryPoints }: WorkspacePackage,
  inRoot: string,
): Promise<readonly ListedContract[]> {
  const built = entryPoints.get('./contract')?.['default'];
  if (!built) return [];
  const exported: object = await import(join(inRoot, folder, built));
  return Object.values(exported).filter((value) => Array.isArray(value?.clauses));
}

function kebab(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase();
}
