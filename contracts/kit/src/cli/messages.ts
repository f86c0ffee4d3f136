/** Why something failed, for a person. Works for anything that can be thrown. */
export function errorMessage(error: unknown): string {
  // If a name has several addresses, the aggregate holds the failure of each.
  if (error instanceof AggregateError) return error.errors.map(errorMessage).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/**
 * Text from elsewhere, such as a server, a file or the environment, as one line that a terminal shows and does not obey:
 * control characters (C0, DEL, C1), line and paragraph separators, bidirectional controls and lone surrogates are escaped
 * as in JSON, `\u001b`. Whatever a command writes about such text goes through here.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** All of them are single UTF-16 code units. U+FFFE and U+FFFF are no characters of XML 1.0 (section 2.2). */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\ufffe\uffff]/gu;

/** The same for text whose line feeds are our own. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
