import { printableLines } from './printable.ts';

/**
 * A text for XML 1.0 or HTML, between tags or in a quoted attribute. U+FFFE and U+FFFF are not characters of XML (section
 * 2.2), not even as references.
 */
export function escapeMarkup(text: string): string {
  return printableLines(text).replace(
    /[&<>"'\ufffe\uffff]/g,
    (character) => entities[character] ?? `\\u${character.charCodeAt(0).toString(16)}`,
  );
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
