import { type NewPlant, plantOf, textFields } from '@plant-store/domain';
import { errorResponses, invalidRecords } from '../also-breaks.ts';
import type { Mutant } from '../mutant.ts';
import type { Mutation } from '../mutation.ts';
import { rewriteMembers, rewriteText } from '../mutations/bodies.ts';
import { errorMessage, errorStatus, rewriteError } from '../mutations/responses.ts';
import { changedPlant, comparing } from '../mutations/use-case.ts';

/** Break HC-13 to HC-17: texts. */
export const texts: readonly Mutant[] = [
  {
    does: 'trims names and tags',
    breaks: 'HC-13',
    alsoBreaks: { clauses: ['HC-14', 'HC-15'], because: 'they have white space at the ends of texts as well' },
    mutation: changedTexts((text) => text.trim()),
  },
  {
    does: 'normalizes to NFC',
    breaks: 'HC-13',
    alsoBreaks: { clauses: ['HC-14'], because: 'it has texts that are the same when they are normalized' },
    mutation: changedTexts((text) => text.normalize('NFC')),
  },
  { does: 'cuts names at 255 characters', breaks: 'HC-13', mutation: changedTexts((text) => text.slice(0, 255)) },
  { does: 'cuts texts at 512 KiB', breaks: 'HC-13', mutation: changedTexts((text) => text.slice(0, HALF_A_MIB)) },
  {
    does: 'fails for a text of more than 512 KiB',
    breaks: 'HC-13',
    mutation: changedTexts((text) => {
      if (text.length > HALF_A_MIB) throw new RangeError('value too long');
      return text;
    }),
  },
  {
    does: 'compares texts to their first 512 KiB',
    breaks: 'HC-13',
    mutation: comparingTexts((text) => text.slice(0, HALF_A_MIB)),
  },
  { does: 'escapes HTML', breaks: 'HC-13', mutation: changedTexts((text) => text.replaceAll('<', '&lt;')) },
  {
    does: 'drops control characters',
    breaks: 'HC-13',
    alsoBreaks: { clauses: ['HC-14', 'HC-15'], because: 'they have control characters as well' },
    mutation: changedTexts((text) => text.replace(/\p{Cc}/gu, '')),
  },
  {
    does: 'drops U+FEFF at the start',
    breaks: 'HC-13',
    alsoBreaks: { clauses: ['HC-14'], because: 'it has a text that begins with U+FEFF' },
    mutation: changedTexts((text) => text.replace(/^\ufeff/, '')),
  },
  {
    does: 'recognizes no character beyond the basic plane',
    breaks: 'HC-13',
    alsoBreaks: { clauses: ['HC-15'], because: 'it has such a character, as an escape' },
    mutation: changedTexts((text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd')),
  },
  {
    does: 'refuses an empty name',
    breaks: 'HC-13',
    alsoBreaks: { clauses: ['HC-14', 'HC-18', 'HC-19'], because: 'they have empty names as well' },
    mutation: rewriteMembers((members) => (members['name'] === '' ? undefined : members)),
  },
  {
    does: 'refuses a tag that is longer than 50 characters',
    breaks: 'HC-13',
    mutation: rewriteMembers((members) => (String(members['tag'] ?? '').length > 50 ? undefined : members)),
  },
  {
    does: 'compares without case',
    breaks: 'HC-14',
    alsoBreaks: { clauses: ['HC-19'], because: 'it has names that differ in case' },
    mutation: comparingTexts((text) => text.toLowerCase()),
  },
  { does: 'compares normalized texts', breaks: 'HC-14', mutation: comparingTexts((text) => text.normalize('NFC')) },
  {
    does: 'compares without the spaces at the end, as SQL does for CHAR',
    breaks: 'HC-14',
    mutation: comparingTexts((text) => text.replace(/ +$/, '')),
  },
  {
    does: 'compares with a collation',
    breaks: 'HC-14',
    alsoBreaks: { clauses: ['HC-19'], because: 'it has names that differ in case' },
    mutation: comparing((a, b) =>
      textFields.every((field) => collator.compare(a[field] ?? '-', b[field] ?? '-') === 0),
    ),
  },
  {
    does: 'keeps the backslash of \\/',
    breaks: 'HC-15',
    mutation: rewriteText((text) => text.replaceAll('a\\/', 'a\\\\/')),
  },
  {
    does: 'treats each escape as a character of its own, so that surrogates lose their partners',
    breaks: 'HC-15',
    alsoBreaks: { clauses: ['HC-16', 'HC-17'], because: 'a surrogate that was replaced is no longer refused' },
    mutation: rewriteText((text) => text.replace(/\\u[dD][89a-fA-F][\da-fA-F]{2}/g, '\\ufffd')),
  },
  {
    does: 'undoes escapes twice',
    breaks: 'HC-15',
    alsoBreaks: { clauses: ['HC-13'], because: 'it has a backslash with a u after it' },
    mutation: changedTexts((text) =>
      text.replace(/\\u([\da-f]{4})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
    ),
  },
  {
    does: 'drops U+0000',
    breaks: 'HC-16',
    alsoBreaks: { clauses: ['HC-17'], because: 'a name there is U+0000' },
    mutation: rewriteTexts((text) => text.replaceAll('\u0000', '')),
  },
  {
    does: 'puts U+FFFD for unpaired surrogates',
    breaks: 'HC-16',
    alsoBreaks: { clauses: ['HC-17'], because: 'a tag there is such a surrogate' },
    mutation: rewriteTexts((text) => text.toWellFormed()),
  },
  {
    does: 'cuts a text at U+0000, as C does',
    breaks: 'HC-16',
    alsoBreaks: { clauses: ['HC-17'], because: 'a name there is U+0000' },
    mutation: rewriteTexts((text) => text.split('\u0000')[0] ?? ''),
  },
  {
    does: 'names the first faulty field only',
    breaks: 'HC-17',
    mutation: errorMessage(['not-a-new-plant'], (message) => message.split(';')[0] ?? ''),
  },
  {
    does: 'treats a null tag as absent',
    breaks: 'HC-17',
    mutation: rewriteMembers(({ tag, ...members }) =>
      tag === null ? members : { ...members, ...(tag === undefined ? {} : { tag }) },
    ),
  },
  {
    does: 'treats numbers and booleans as text',
    breaks: 'HC-17',
    mutation: rewriteMembers((members) => ({
      ...members,
      ...(['number', 'boolean'].includes(typeof members['name']) ? { name: String(members['name']) } : {}),
    })),
  },
  {
    does: 'treats a missing name as an empty one',
    breaks: 'HC-17',
    mutation: rewriteMembers((members) => ({ name: '', ...members })),
  },
  {
    does: 'names no field',
    breaks: 'HC-17',
    mutation: errorMessage(['not-a-new-plant'], () => 'the request is invalid'),
  },
  {
    does: 'does not name the id if it is the only faulty field',
    breaks: 'HC-17',
    mutation: errorMessage(['not-a-new-plant'], (message) =>
      /^id\b[^;]*$/.test(message) ? 'expected an int64' : message,
    ),
  },
  {
    does: 'returns 422 for a record that is not valid',
    breaks: 'HC-17',
    alsoBreaks: invalidRecords,
    mutation: errorStatus(['not-a-new-plant'], 422),
  },
  {
    does: 'adds the status to the Error record',
    breaks: 'HC-17',
    alsoBreaks: errorResponses,
    mutation: rewriteError('any', (record, { status }) => ({
      body: JSON.stringify({ ...record, statusCode: status }),
    })),
  },
  {
    does: 'returns the error as a word',
    breaks: 'HC-17',
    alsoBreaks: errorResponses,
    mutation: rewriteError('any', ({ message }) => ({ body: JSON.stringify({ error: 'Bad Request', message }) })),
  },
  {
    does: 'sends errors as application/problem+json',
    breaks: 'HC-17',
    alsoBreaks: errorResponses,
    mutation: rewriteError('any', (_record, { headers }) => ({
      headers: { ...headers, 'content-type': 'application/problem+json' },
    })),
  },
  {
    does: 'puts the issues into the Error record',
    breaks: 'HC-17',
    alsoBreaks: invalidRecords,
    mutation: rewriteError(['not-a-new-plant'], (record) => ({ body: JSON.stringify({ ...record, issues: [] }) })),
  },
];

const HALF_A_MIB = 2 ** 19;

const collator = new Intl.Collator('en', { sensitivity: 'base' });

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
