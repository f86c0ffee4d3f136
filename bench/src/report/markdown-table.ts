/**
 * A Markdown table that is readable as text: the first column is aligned to the left, the others to the right. Empty columns
 * are omitted.
 */
export function markdownTable(allColumns: readonly string[], allRows: readonly (readonly string[])[]): string {
  const used = allColumns.flatMap((_, column) => (allRows.some((row) => row[column]) ? [column] : []));
  const [header, ...rows] = [allColumns, ...allRows].map((row) => used.map((column) => row[column] ?? ''));
  if (!header) return '';
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => (row[column] ?? '').length), 3));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, at) => (at === 0 ? (cells[at] ?? '').padEnd(width) : (cells[at] ?? '').padStart(width))).join(' | ')} |`;
  const rule = `|${widths.map((width, at) => (at === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(header), rule, ...rows.map(line)].join('\n');
}
