import type { Mutant } from '../mutant.ts';
import { type Members, rewriteBody, rewriteBytes, rewriteText } from '../mutations/bodies.ts';
import { rewriteHeader } from '../mutations/requests.ts';
import { errorMessage, errorStatus } from '../mutations/responses.ts';
import { onFastify, serverOptions } from '../mutations/server.ts';

const MIB = 2 ** 20;

/** Break HC-22 to HC-27: bodies that are not a NewPlant at all, and how large one may be. */
export const bodies: readonly Mutant[] = [
  {
    does: 'treats an absent body as an empty object',
    breaks: 'HC-22',
    mutation: rewriteText((text) => text || '{}'),
  },
  {
    does: 'tolerates a comma after the last member',
    breaks: 'HC-22',
    mutation: rewriteText((text) => text.replace(/,\s*\}$/, '}')),
  },
  {
    does: 'removes comments',
    breaks: 'HC-22',
    mutation: rewriteText((text) => text.replace(/^\/\/.*\n|\/\* comment \*\//g, '')),
  },
  {
    does: 'reads the first JSON text and leaves what is after it',
    breaks: 'HC-22',
    mutation: rewriteText((text) => text.replace(/^(\{"id":7,"name":"n"\}).+$/s, '$1')),
  },
  {
    does: 'puts the stack into the message',
    breaks: 'HC-22',
    alsoBreaks: { clauses: ['HC-23', 'HC-25', 'HC-54'], because: 'they have bodies that are not JSON as well' },
    mutation: errorMessage(['malformed-json'], (message) => new SyntaxError(message).stack ?? ''),
  },
  {
    does: 'returns 422 for what is not JSON',
    breaks: 'HC-22',
    alsoBreaks: {
      clauses: ['HC-23', 'HC-25', 'HC-54', 'HC-64'],
      because: 'they have bodies that are not JSON as well',
    },
    mutation: errorStatus(['malformed-json'], 422),
  },
  {
    does: 'drops a byte order mark',
    breaks: 'HC-23',
    mutation: rewriteBytes((bytes) => (bytes.indexOf('\ufeff') === 0 ? bytes.subarray(3) : bytes)),
  },
  {
    does: 'puts U+FFFD for bytes that are not UTF-8',
    breaks: 'HC-23',
    mutation: rewriteBytes((bytes) => bytes.toString()),
  },
  {
    does: 'treats bytes that are not UTF-8 as Latin-1',
    breaks: 'HC-23',
    mutation: rewriteBytes((bytes) => (bytes.equals(Buffer.from(bytes.toString())) ? bytes : bytes.toString('latin1'))),
  },
  {
    does: 'detects UTF-16',
    breaks: 'HC-23',
    mutation: rewriteBytes((bytes) => (bytes[0] === 0x7b && bytes[1] === 0 ? bytes.toString('utf16le') : bytes)),
  },
  {
    does: 'treats the only element of an array as the record',
    breaks: 'HC-24',
    mutation: rewriteBody((body) =>
      Array.isArray(body) && body.length === 1 ? { ...body[0], id: BigInt(body[0].id) } : body,
    ),
  },
  {
    does: 'parses a string once more',
    breaks: 'HC-24',
    mutation: rewriteText((text) => (/^"\{.*\}"$/.test(text) ? JSON.parse(text) : text)),
  },
  {
    does: 'looks for the id in whatever was parsed, and fails with a TypeError',
    breaks: 'HC-24',
    mutation: rewriteBody((body) => ({ ...(body as Members), id: (body as Members)['id'] })),
  },
  {
    does: 'walks through the body by recursion, and overflows the stack',
    breaks: 'HC-25',
    alsoBreaks: { clauses: ['HC-22', 'HC-23'], because: 'they have bodies that end like an object and are not JSON' },
    mutation: rewriteText((text) => {
      if (text.endsWith('}')) depthOf(JSON.parse(text));
      return text;
    }),
  },
  { does: 'accepts a byte less than 1 MiB', breaks: 'HC-26', mutation: serverOptions({ bodyLimit: MIB - 1 }) },
  {
    does: 'accepts a byte more than 1 MiB',
    breaks: 'HC-26',
    alsoBreaks: { clauses: ['HC-27'], because: 'it declares a byte more than 1 MiB' },
    mutation: serverOptions({ bodyLimit: MIB + 1 }),
  },
  {
    does: 'trusts Content-Length and counts nothing',
    breaks: 'HC-26',
    mutation: {
      ...serverOptions({ bodyLimit: 2 ** 40 }),
      ...onFastify((app) =>
        app.addHook('preParsing', async ({ headers }) => {
          if (Number(headers['content-length']) > MIB) throw tooLarge();
        }),
      ),
    },
  },
  {
    does: 'returns 413 for a body that is too large',
    breaks: 'HC-26',
    alsoBreaks: { clauses: ['HC-27', 'HC-57', 'HC-64'], because: 'they have bodies that are too large as well' },
    mutation: errorStatus(['body-too-large'], 413),
  },
  {
    does: 'counts bytes and ignores Content-Length',
    breaks: 'HC-27',
    alsoBreaks: {
      clauses: ['HC-57', 'HC-64'],
      because: 'they declare a body that is too large and wait for the response',
    },
    mutation: rewriteHeader('content-length', (length) => (Number(length) > MIB ? undefined : length)),
  },
];

function tooLarge(): Error {
  return Object.assign(new Error('too large'), { code: 'FST_ERR_CTP_BODY_TOO_LARGE' });
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
