import { hardTexts, show } from '@plant-store/contracts-kit';

/** A text to verify, and its name in messages, which must not show real tokens. */
export interface PresentedText {
  readonly text: string;
  readonly what: string;
}

/** Texts that are not issued tokens: near misses, lookalikes and foreign texts. */
export interface RejectedTexts {
  readonly others: readonly PresentedText[];
  /** The names of those of which every text is an issued token. */
  readonly skipped: readonly string[];
}

/** Makes the texts to reject beside these tokens. */
export function rejectedTexts(tokens: readonly string[], impostors: readonly string[]): RejectedTexts {
  const near = Object.entries(nearMisses).flatMap(([how, change]) =>
    tokens.slice(0, 2).map((token) => ({ text: change(token), what: `an issued token ${how}` })),
  );
  const joined = [',', ' ', '\n'].map((separator) => {
    return { text: tokens.join(separator), what: `all issued tokens with ${show(separator)} between them` };
  });
  const alike = impostors.map((text, at) => ({ text, what: `impostors()[${at}]` }));
  const all = [...near, ...joined, ...alike, ...foreign.map((text) => ({ text, what: show(text) }))];
  const others = all.filter(({ text }) => !tokens.includes(text));
  const checked = new Set(others.map(({ what }) => what));
  const skipped = all.map(({ what }) => what).filter((what) => !checked.has(what));
  if (alike.length === 0) skipped.push('impostors(), which resolved with none');
  return { others, skipped: [...new Set(skipped)] };
}

/** Texts that no issuer issues. Careless verifiers have accepted them, or thrown. */
const foreign: readonly string[] = [
  ...hardTexts,
  ',',
  'Bearer',
  '[object Object]',
  '{}',
  '*',
  '.*',
  'a.b.c',
  'eyJhbGciOiJub25lIn0.e30.',
  "' OR ''='",
  '\u0000',
  '\ud800',
  'x'.repeat(8_000),
  'x'.repeat(100_000),
];

/**
 * Changes to an issued token, each of which a careless comparison has accepted somewhere. A message shows the name of the change
 * instead of the token, which may be real.
 */
const nearMisses: Readonly<Record<string, (token: string) => string>> = {
  'without its last character': (token) => token.slice(0, -1),
  'without its first character': (token) => token.slice(1),
  'cut to its first half': (token) => token.slice(0, token.length / 2),
  'cut to its first eight characters': (token) => token.slice(0, 8),
  'with a character after it': (token) => `${token}x`,
  'with a character before it': (token) => `x${token}`,
  'twice in a row': (token) => token + token,
  backwards: (token) => [...token].reverse().join(''),
  'with another first character': (token) => replaced(token, 0, token.startsWith('A') ? 'B' : 'A'),
  'with another character in the middle': (token) => {
    const middle = Math.floor(token.length / 2);
    return replaced(token, middle, token[middle] === 'A' ? 'B' : 'A');
  },
  // The last character of a Base64 text may have bits that no byte uses: both texts then encode the same bytes.
  'with the next character instead of its last': (token) =>
    replaced(token, token.length - 1, String.fromCharCode(token.charCodeAt(token.length - 1) + 1)),
  'in upper case': (token) => token.toUpperCase(),
  'in lower case': (token) => token.toLowerCase(),
  'with a space before it': (token) => ` ${token}`,
  'with a space after it': (token) => `${token} `,
  'with a new line after it': (token) => `${token}\n`,
  'with a byte order mark before it': (token) => `\ufeff${token}`,
  'with padding after it': (token) => `${token}=`,
  'with U+0000 and more after it': (token) => `${token}\u0000x`,
  'in quotes': (token) => `"${token}"`,
  'with the scheme before it': (token) => `Bearer ${token}`,
  'with its first character percent-encoded': (token) => `%${token.charCodeAt(0).toString(16)}${token.slice(1)}`,
  'in fullwidth letters': (token) => shifted(token, 0xfee0),
  'in letters that end in the same byte': (token) => shifted(token, 0x100),
};

function replaced(token: string, at: number, character: string): string {
  return token.slice(0, at) + character + token.slice(at + 1);
}

function shifted(token: string, by: number): string {
  return String.fromCharCode(...Array.from(token, (character) => character.charCodeAt(0) + by));
}
