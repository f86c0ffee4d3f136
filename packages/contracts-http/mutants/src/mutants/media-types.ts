import type { Mutant } from '../mutant.ts';
import type { Mutation } from '../mutation.ts';
import { rewriteHeader } from '../mutations/requests.ts';
import { errorStatus } from '../mutations/responses.ts';

/** Break HC-28 to HC-30: what the body is declared to be. */
export const mediaTypes: readonly Mutant[] = [
  {
    does: 'recognizes application/json without parameters only',
    breaks: 'HC-28',
    mutation: rewriteHeader('content-type', (type) => (type === 'application/json' ? type : 'text/plain')),
  },
  {
    does: 'recognizes media types in lower case only',
    breaks: 'HC-28',
    mutation: rewriteHeader('content-type', (type) => (type?.startsWith('application/json') ? type : 'text/plain')),
  },
  {
    does: 'does not recognize a charset in quotes',
    breaks: 'HC-28',
    mutation: rewriteHeader('content-type', (type) => (type?.includes('"') ? 'text/plain' : type)),
  },
  {
    does: 'treats a body without a media type as JSON',
    breaks: 'HC-29',
    mutation: rewriteHeader('content-type', (type) => type ?? 'application/json'),
  },
  {
    does: 'treats everything as JSON',
    breaks: 'HC-29',
    alsoBreaks: { clauses: ['HC-54'], because: 'it sends text/plain' },
    mutation: takingForJson(/^/),
  },
  {
    does: 'accepts any media type that begins with application/json',
    breaks: 'HC-29',
    mutation: takingForJson(/^application\/json/i),
  },
  { does: 'treats +json as JSON', breaks: 'HC-29', mutation: takingForJson(/^application\/[\w.]+\+json$/) },
  {
    does: 'treats text/plain as JSON',
    breaks: 'HC-29',
    alsoBreaks: { clauses: ['HC-54'], because: 'it sends text/plain' },
    mutation: takingForJson(/^text\/plain/),
  },
  { does: 'ignores the charset', breaks: 'HC-29', mutation: takingForJson(/^application\/json;/i) },
  {
    does: 'returns 415 for another media type',
    breaks: 'HC-29',
    alsoBreaks: {
      clauses: ['HC-30', 'HC-54', 'HC-64'],
      because: 'they have bodies that are not declared as JSON as well',
    },
    mutation: errorStatus(['unsupported-media-type'], 415),
  },
  {
    does: 'ignores Content-Encoding',
    breaks: 'HC-30',
    mutation: rewriteHeader('content-encoding', () => undefined),
  },
  {
    does: 'recognizes gzip in lower case only, and ignores what it does not recognize',
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
