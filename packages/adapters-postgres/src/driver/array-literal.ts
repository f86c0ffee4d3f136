/**
 * An array of texts as PostgreSQL reads it (PostgreSQL documentation, «Array Input and Output Syntax»): every element in
 * quotes, so that nothing in it is taken for syntax, and NULL for an absent one.
 */
export function arrayOf(texts: readonly (string | null | undefined)[]): string {
  return `{${texts.map((text) => (text == null ? 'NULL' : `"${escaped(text)}"`)).join()}}`;
}

/** Most texts have neither a quote nor a backslash, and testing for them costs less than replacing none. */
function escaped(text: string): string {
  return special.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text;
}

const special = /["\\]/;
