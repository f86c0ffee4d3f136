/** The value as a person would write it: strings quoted, invisible characters escaped, bigints plain, long text shortened. */
export function show(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 120 ? `${quote(value.slice(0, 100))}… (${value.length} code units)` : quote(value);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) {
    const cause = value instanceof AggregateError ? value.errors : value.cause;
    return `${value.name}${value.message && `: ${shortened(value.message)}`}${cause === undefined ? '' : ` (cause: ${show(cause)})`}`;
  }
  if (Array.isArray(value)) return `[${value.map(show).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, property]) => `${key}: ${show(property)}`)
      .join(', ')}}`;
  }
  return String(value);
}

/** Engines quote in their errors what they were given, which may be a megabyte. */
function shortened(text: string): string {
  return text.length > 2_000 ? `${text.slice(0, 2_000)}… (${text.length} code units)` : text;
}

function quote(text: string): string {
  // Nearly every text, and the search for invisible characters takes ten times as long.
  if (/^[ -~]*$/.test(text)) return JSON.stringify(text);
  const asEscape = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;
  return JSON.stringify(text).replace(/(?! )[\p{C}\p{Z}]/gu, asEscape);
}
