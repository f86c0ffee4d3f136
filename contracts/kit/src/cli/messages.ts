/** The message of anything that was thrown. */
export function errorMessage(error: unknown): string {
  // If a host has several addresses, the aggregate has the error of each, and no message.
  if (error instanceof AggregateError) return error.errors.map(errorMessage).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/**
 * Untrusted text, such as a server's, as one line that cannot control a terminal: control characters (C0, DEL, C1), line and
 * paragraph separators, bidirectional controls and lone surrogates are escaped as in JSON, `\u001b`.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Each is a single UTF-16 code unit. U+FFFE and U+FFFF are not allowed in XML 1.0 (section 2.2). */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\ufffe\uffff]/gu;

/** As {@link printable}, but keeps line feeds. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
