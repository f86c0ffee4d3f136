/**
 * Cuts the longest texts of a JSON line, wherever they are in it, until it has at most `maxBytes` bytes. A text that was
 * cut ends with the number of characters that are missing.
 */
export function fitLine(line: string, maxBytes: number): string {
  const fields: unknown = JSON.parse(line);
  for (let length = maxBytes / 2; length >= 1; length /= 2) {
    const fitting = `${JSON.stringify(fields, (_, value) => (typeof value === 'string' ? cut(value, length) : value))}\n`;
    if (Buffer.byteLength(fitting) <= maxBytes) return fitting;
  }
  // Not by its texts, but by their number.
  return `${JSON.stringify({ level: 50, time: Date.now(), msg: `a log line of ${line.length} characters left out` })}\n`;
}

/** The beginning of a text, and how much of it is missing. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length)}… (${text.length - Math.floor(length)} more characters)`;
}
