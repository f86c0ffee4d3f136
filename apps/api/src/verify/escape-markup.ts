/** A text for XML 1.0 or HTML, between tags or in a quoted attribute. */
export function escapeMarkup(text: string): string {
  return [...text]
    .map((character) => escaped[character] ?? (isAllowed(character) ? character : shown(character)))
    .join('');
}

const escaped: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * XML 1.0, section 2.2, has no other characters, not even as references. C1 and bidirectional controls are allowed there,
 * but would change what a reader sees.
 */
function isAllowed(character: string): boolean {
  return /^[\t\n]|[^\p{C}\u2028\u2029]$/u.test(character);
}

function shown(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
