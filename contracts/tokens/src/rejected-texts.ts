import { hardTexts, show } from '@plant-store/contracts-kit';
import { nearMisses } from './near-misses.ts';

/** A text that is presented to a verifier, and its name in messages: issued tokens may be real, and are not shown. */
export interface PresentedText {
  readonly text: string;
  readonly what: string;
}

/** Texts that are not issued tokens: some close to them, some that look like them, and some that do not. */
export function rejectedTexts(tokens: readonly string[], impostors: readonly string[]): PresentedText[] {
  const near = Object.entries(nearMisses).flatMap(([how, change]) =>
    tokens.slice(0, 2).map((token) => ({ text: change(token), what: `an issued token ${how}` })),
  );
  const joined = [',', ' ', '\n'].map((separator) => {
    return { text: tokens.join(separator), what: `all issued tokens with ${show(separator)} between them` };
  });
  const alike = impostors.map((text, at) => ({ text, what: `impostors()[${at}]` }));
  const others = [...near, ...joined, ...alike, ...foreign.map((text) => ({ text, what: show(text) }))];
  return others.filter(({ text }) => !tokens.includes(text));
}

/** Texts that no issuer issues, and that have been accepted or have made a verifier throw. */
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
