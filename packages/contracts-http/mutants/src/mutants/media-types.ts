import type { Mutants } from '../mutation.ts';
import { rewriteHeader } from '../mutations/requests.ts';

/** Break HC-28 to HC-30: what the body is declared to be. */
export const mediaTypes: Mutants = {
  'HC-28': {
    'recognizes media types in lower case only': rewriteHeader('content-type', (type) =>
      type?.startsWith('application/json') ? type : 'text/plain',
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
