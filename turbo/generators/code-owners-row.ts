/** CODEOWNERS with a row for a new package, among those of the packages, which are sorted by folder. */
export function withOwner(codeOwners: string, folder: string, owner: string): string {
  const lines = codeOwners.split('\n');
  const rows = lines.filter((line) => /^\/packages\/[^/]+\/ /.test(line));
  const column = rows[0]?.indexOf('@') ?? 0;
  const row = `${`/${folder}/`.padEnd(column - 1)} ${owner}`;
  const before = rows.findLast((line) => line < row);
  const at = before === undefined ? lines.indexOf(rows[0] ?? '') : lines.indexOf(before) + 1;
  return lines.toSpliced(at, 0, row).join('\n');
}
