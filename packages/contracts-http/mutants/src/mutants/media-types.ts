import { mutantTable } from '@plant-store/contracts-kit';
import type { Mutant } from '../mutant.ts';
import type { Mutation } from '../mutation.ts';
import { rewriteHeader } from '../mutations/requests.ts';
import { errorStatus } from '../mutations/responses.ts';

/** Break HC-28 to HC-30: what the body is declared to be. */
export const mediaTypes: readonly Mutant[] = mutantTable({
  'HC-28': {
    'recognizes media types in lower case only': rewriteHeader('content-type', (type) =>
      type?.startsWith('application/json') ? type : 'text/plain',
    ),
  },
  'HC-29': {
    'treats a body without a media type as JSON': rewriteHeader('content-type', (type) => type ?? 'application/json'),
    'accepts any media type that begins with application/json': takingForJson(/^application\/json/i),
    'treats +json as JSON': takingForJson(/^application\/[\w.]+\+json$/),
    'ignores the charset': takingForJson(/^application\/json;/i),
    'returns 415 for another media type': errorStatus(['unsupported-media-type'], 415),
  },
  'HC-30': {
    'ignores Content-Encoding': rewriteHeader('content-encoding', () => undefined),
    'refuses identity too': rewriteHeader('content-encoding', (coding) => coding?.replace('identity', 'none')),
  },
});

function takingForJson(pattern: RegExp): Mutation {
  return rewriteHeader('content-type', (type) =>
    type !== undefined && pattern.test(type) ? 'application/json' : type,
  );
}
