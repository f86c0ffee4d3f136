/** A Markdown table. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly (string | number | undefined)[])[],
): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  // A placeholder such as <path> would be taken for a tag.
  return lines.join('\n').replaceAll('<', '\\<');
}
