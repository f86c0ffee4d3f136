/** C0, DEL and C1; line and paragraph separators; marks, embeddings, overrides and isolates of UAX #9. */
const ranges = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0x2028, 0x202e],
  [0x200e, 0x200f],
  [0x2066, 0x2069],
  [0x061c, 0x061c],
] as const;

/** Whether a terminal obeys a character, or shows what follows it as something else. */
export function isObeyed(character: string): boolean {
  const code = character.charCodeAt(0);
  return ranges.some(([first, last]) => code >= first && code <= last);
}
