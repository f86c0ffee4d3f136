/** A table of Markdown. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  // A placeholder such as <path> would be taken for a tag.
  return lines.join('\n').replaceAll('<', '\\<');
}
