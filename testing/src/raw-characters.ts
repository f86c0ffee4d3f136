/** Every printable character of ASCII. */
export const printable: readonly string[] = Array.from({ length: 95 }, (_, at) => String.fromCharCode(0x20 + at));

/**
 * Texts with one character as it is, for a part of a URL: each printable one and some that are not ASCII, alone, between others and
 * beside escapes.
 */
export function* rawCharacters(): Generator<{
  readonly character: string;
  readonly raw: string;
  readonly meant: string;
}> {
  for (const character of [...printable, 'é', '蕨', '🌿'])
    for (const [before, after] of [
      ['a', 'b'],
      ['12', 'b'],
      ['', ''],
      ['%2F', '%25b'],
    ] as const) {
      const meant = decodeURIComponent(before) + character + decodeURIComponent(after);
      yield { character, raw: before + character + after, meant };
    }
}
