/** CODEOWNERS with a row for a new package, among those of the packages, which are sorted by folder. */
export function withOwner(codeOwners: string, folder: string, owner: string): string {
  const lines = codeOwners.split('\n');
  const row = `${`/${folder}/`.padEnd(OWNER_COLUMN)}${owner}`;
  const next = lines.findIndex((line) => line.startsWith('/packages/') && line > row);
  return lines.toSpliced(next, 0, row).join('\n');
}

/** Where owners begin in the file. */
const OWNER_COLUMN = 61;
