import type { Mutant } from '../mutant.ts';
import type { Mutation } from '../mutation.ts';
import { errorStatus } from '../mutations/answers.ts';
import { rewriteHeader } from '../mutations/requests.ts';

/** Break HC-28 to HC-30: what the body is declared to be. */
export const mediaTypes: readonly Mutant[] = [
  {
    does: 'knows application/json without parameters only',
    breaks: 'HC-28',
    mutation: rewriteHeader('content-type', (type) => (type === 'application/json' ? type : 'text/plain')),
  },
  {
    does: 'knows media types in lower case only',
    breaks: 'HC-28',
    mutation: rewriteHeader('content-type', (type) => (type?.startsWith('application/json') ? type : 'text/plain')),
  },
  {
    does: 'does not know a charset in quotes',
    breaks: 'HC-28',
    mutation: rewriteHeader('content-type', (type) => (type?.includes('"') ? 'text/plain' : type)),
  },
  {
    does: 'takes a body without a media type for JSON',
    breaks: 'HC-29',
    mutation: rewriteHeader('content-type', (type) => type ?? 'application/json'),
  },
  {
    does: 'takes everything for JSON',
    breaks: 'HC-29',
    alsoBreaks: { clauses: ['HC-54'], because: 'it sends text/plain' },
    mutation: takingForJson(/^/),
  },
  {
    does: 'takes what begins with application/json for it',
    breaks: 'HC-29',
    mutation: takingForJson(/^application\/json/i),
  },
  { does: 'takes +json for JSON', breaks: 'HC-29', mutation: takingForJson(/^application\/[\w.]+\+json$/) },
  {
    does: 'takes text/plain for JSON',
    breaks: 'HC-29',
    alsoBreaks: { clauses: ['HC-54'], because: 'it sends text/plain' },
    mutation: takingForJson(/^text\/plain/),
  },
  { does: 'does not look at the charset', breaks: 'HC-29', mutation: takingForJson(/^application\/json;/i) },
  {
    does: 'answers 415 for another media type',
    breaks: 'HC-29',
    alsoBreaks: {
      clauses: ['HC-30', 'HC-54', 'HC-64'],
      because: 'they have bodies that are not declared as JSON as well',
    },
    mutation: errorStatus(['unsupported-media-type'], 415),
  },
  {
    does: 'does not look at Content-Encoding',
    breaks: 'HC-30',
    mutation: rewriteHeader('content-encoding', () => undefined),
  },
  {
    does: 'knows gzip in lower case only, and ignores what it does not know',
    breaks: 'HC-30',
    mutation: rewriteHeader('content-encoding', (coding = '') =>
      /^(gzip|br|deflate|zstd)$/.test(coding) ? coding : undefined,
    ),
  },
  {
    does: 'refuses identity too',
    breaks: 'HC-30',
    mutation: rewriteHeader('content-encoding', (coding) => coding?.replace('identity', 'none')),
  },
];

function takingForJson(pattern: RegExp): Mutation {
  return rewriteHeader('content-type', (type) =>
    type !== undefined && pattern.test(type) ? 'application/json' : type,
  );
}
