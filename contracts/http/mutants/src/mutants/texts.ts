import { type NewPlant, plantOf, textFields } from '@plant-store/domain';
import type { Mutants, Mutation } from '../mutation.ts';
import { rewriteMembers, rewriteText } from '../mutations/bodies.ts';
import { errorMessage, rewriteError } from '../mutations/responses.ts';
import { changedPlant, comparing } from '../mutations/use-case.ts';

/** Break HC-13 to HC-17: texts. */
export const texts: Mutants = {
  // More than two: hard texts, the largest ones, their last character.
  'HC-13': {
    'trims names and tags': changedTexts((text) => text.trim()),
    'cuts names at 255 characters': changedTexts((text) => text.slice(0, 255)),
    'compares texts to their first 32 KiB': comparingTexts((text) => text.slice(0, 2 ** 15)),
  },
  'HC-14': {
    'compares without case': comparingTexts((text) => text.toLowerCase()),
    'compares without the spaces at the end, as SQL does for CHAR': comparingTexts((text) => text.replace(/ +$/, '')),
  },
  'HC-15': {
    'keeps the backslash of \\/': rewriteText((text) => text.replaceAll('a\\/', 'a\\\\/')),
    'treats each escape as a character of its own, so that surrogates lose their partners': rewriteText((text) =>
      text.replace(/\\u[dD][89a-fA-F][\da-fA-F]{2}/g, '\\ufffd'),
    ),
  },
  'HC-16': {
    'drops U+0000': rewriteTexts((text) => text.replaceAll('\u0000', '')),
    'puts U+FFFD for unpaired surrogates': rewriteTexts((text) => text.toWellFormed()),
  },
  // More than two: what is refused, what the message names, the type and the members of every Error record.
  'HC-17': {
    'names the first faulty field only': errorMessage('not-a-new-plant', (message) => message.split(';')[0] ?? ''),
    'treats a null tag as absent': rewriteMembers(({ tag, ...members }) =>
      tag === null ? members : { ...members, ...(tag === undefined ? {} : { tag }) },
    ),
    'sends errors as application/problem+json': rewriteError('any', () => ({
      headers: { 'content-type': 'application/problem+json' },
    })),
    'adds the status to the Error record': rewriteError('any', (record, { status }) => ({
      body: JSON.stringify({ ...record, statusCode: status }),
    })),
  },
};

/** Changes the texts of a plant before the store gets it. */
function changedTexts(change: (text: string) => string): Mutation {
  return changedPlant((plant): NewPlant => {
    const texts = Object.entries(plantOf(plant)).map(([field, text]) => [field, change(text)]);
    return { ...plant, ...Object.fromEntries(texts) };
  });
}

/** Changes the texts of a body before they are checked. */
function rewriteTexts(change: (text: string) => string): Mutation {
  return rewriteMembers((members) => {
    const texts = Object.entries(members).filter(([name]) => textFields.some((field) => field === name));
    const changed = texts.map(([name, text]) => [name, typeof text === 'string' ? change(text) : text]);
    return { ...members, ...Object.fromEntries(changed) };
  });
}

function comparingTexts(change: (text: string) => string): Mutation {
  return comparing((a, b) => textFields.every((field) => change(a[field] ?? '-') === change(b[field] ?? '-')));
}
