import { HttpError } from '@plant-store/adapters-http';
import type { Mutants } from '../mutation.ts';
import { rewriteBody, rewriteBytes, rewriteText } from '../mutations/bodies.ts';
import { rewriteHeader } from '../mutations/requests.ts';
import { errorMessage } from '../mutations/responses.ts';

const LIMIT = 2 ** 16;

/** Break HC-22 to HC-30: bodies that are not a NewPlant at all, how large one may be, and what it is declared to be. */
export const bodies: Mutants = {
  // More than two: no body, no JSON, what no message of any error has.
  'HC-22': {
    'treats an absent body as an empty object': rewriteText((text) => text || '{}'),
    'tolerates a comma after the last member': rewriteText((text) => text.replace(/,\s*\}$/, '}')),
    'puts the stack into the message': errorMessage(
      'malformed-json',
      (message) => new SyntaxError(message).stack ?? '',
    ),
  },
  'HC-23': {
    'drops a byte order mark': rewriteBytes((bytes) => (bytes.indexOf('\ufeff') === 0 ? bytes.subarray(3) : bytes)),
    'puts U+FFFD for bytes that are not UTF-8': rewriteBytes((bytes) => bytes.toString()),
  },
  'HC-24': {
    'treats the only element of an array as the record': rewriteBody((body) =>
      Array.isArray(body) && body[0]?.id ? { ...body[0], id: BigInt(body[0].id) } : body,
    ),
  },
  'HC-25': {
    'walks through the body by recursion, and overflows the stack': rewriteText((text) => {
      if (text.endsWith('}')) depthOf(JSON.parse(text));
      return text;
    }),
  },
  'HC-26': {
    'accepts a byte less than 64 KiB': { options: { bodyLimit: LIMIT - 1 } },
    'trusts Content-Length and counts nothing': {
      options: { bodyLimit: 2 ** 40 },
      server: (app) =>
        app.addHook('preParsing', async ({ headers }) => {
          if (Number(headers['content-length']) > LIMIT) throw new HttpError('body-too-large');
        }),
    },
  },
  'HC-27': {
    'counts bytes and ignores Content-Length': rewriteHeader('content-length', (length) =>
      Number(length) > LIMIT ? undefined : length,
    ),
  },
  'HC-28': {
    'recognizes media types in lower case only': rewriteHeader('content-type', (type) =>
      type?.startsWith('application/json') ? type : 'text/plain',
    ),
    'refuses parameters that it does not recognize': rewriteHeader('content-type', (type) =>
      type?.replace(/^application(?=.*;(?! *charset=))/i, 'text'),
    ),
  },
  'HC-29': {
    'treats a body without a media type as JSON': rewriteHeader('content-type', (type) => type ?? 'application/json'),
    'accepts any media type that begins with application/json': rewriteHeader('content-type', (type) =>
      type?.replace(/^application\/json.*/i, 'application/json'),
    ),
  },
  'HC-30': {
    'ignores Content-Encoding': rewriteHeader('content-encoding', () => undefined),
    'refuses identity too': rewriteHeader('content-encoding', (coding) => coding?.replace('identity', 'none')),
  },
};

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
