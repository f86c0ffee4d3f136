/**
 * Spreadsheets run a cell that begins with one of these as a formula, also from CSV (OWASP, «CSV injection»); some take the
 * full-width forms for the same.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** Puts an apostrophe before a text that a spreadsheet would run as a formula; {@link unescapeFormula} removes it. */
export function escapeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** The text that {@link escapeFormula} was given. */
export function unescapeFormula(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}
