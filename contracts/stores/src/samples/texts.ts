/** Texts that are too long for a part of a store, or of its driver. */
export const longTexts: readonly string[] = [
  'x'.repeat(100_000),
  // Two, three and four bytes a character: wherever a chunk of UTF-8 ends, it ends within a character of one of them.
  `x${'é'.repeat(50_000)}`,
  `x${'日'.repeat(50_000)}`,
  `x${'🌱'.repeat(20_000)}`,
  // Cannot be compressed: an index on a text rejects long ones unless they shrink (PostgreSQL: 2,704 bytes).
  noise(20_000),
];

/** Letters that look random and are the same every time: a linear congruential generator (Numerical Recipes). */
export function noise(length: number): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  let state = 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return letters[state >>> 26];
  }).join('');
}
