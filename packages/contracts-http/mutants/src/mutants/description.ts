import { descriptions } from '../also-breaks.ts';
import type { Mutant } from '../mutant.ts';
import type { Mutation } from '../mutation.ts';
import { rewriteResponse } from '../mutations/responses.ts';
import { onFastify } from '../mutations/server.ts';
import { authenticate } from '../mutations/verifiers.ts';

/** Break HC-62 to HC-66: the description that the service publishes. */
export const description: readonly Mutant[] = [
  {
    does: 'requires a token for the description',
    breaks: 'HC-62',
    alsoBreaks: descriptions,
    mutation: onFastify((app) =>
      app.addHook('onRequest', async ({ raw }) => {
        if (raw.url === '/openapi.json') await authenticate(raw.headers.authorization);
      }),
    ),
  },
  {
    does: 'does not publish the description',
    breaks: 'HC-62',
    alsoBreaks: descriptions,
    mutation: rewriteResponse((_answer, { url }) =>
      url === '/openapi.json' ? { status: 404, body: '{"error":40401,"message":"path not found"}' } : {},
    ),
  },
  {
    does: 'has the description for GET alone',
    breaks: 'HC-62',
    mutation: rewriteResponse((_answer, { url, method }) =>
      url === '/openapi.json' && method === 'HEAD' ? { status: 405 } : {},
    ),
  },
  {
    does: 'forgets HEAD in the Allow of the description',
    breaks: 'HC-62',
    mutation: rewriteResponse(({ headers }, { url }) =>
      url === '/openapi.json' && headers['allow'] ? { headers: { ...headers, allow: 'GET' } } : {},
    ),
  },
  {
    does: 'describes itself in OpenAPI 3.0',
    breaks: 'HC-63',
    mutation: rewriteDescription('"openapi":"3.1.1"', '"openapi":"3.0.3"'),
  },
  {
    does: 'describes another version of itself',
    breaks: 'HC-63',
    mutation: rewriteDescription('"version":"1.0.0"', '"version":"1.0"'),
  },
  {
    does: 'forgets that every operation needs a token',
    breaks: 'HC-63',
    mutation: rewriteDescription('"security":[{"bearerAuth":[]}],', ''),
  },
  {
    does: 'describes an operation that it does not have',
    breaks: 'HC-63',
    alsoBreaks: { clauses: ['HC-38'], because: 'it expects 405 at a path that is described' },
    mutation: rewriteDescription('"paths":{', '"paths":{"/plants/{id}":{"get":{}},'),
  },
  {
    does: 'says in the description that every request needs an id',
    breaks: 'HC-63',
    mutation: rewriteDescription('"required":false', '"required":true'),
  },
  { does: 'does not describe its 401', breaks: 'HC-64', mutation: rewriteDescription('"401":{', '"402":{') },
  {
    does: 'says in the description that every plant has a tag',
    breaks: 'HC-64',
    mutation: rewriteDescription('"required":["name"]', '"required":["name","tag"]'),
  },
  {
    does: 'does not describe the number of an id that is taken',
    breaks: 'HC-64',
    mutation: rewriteDescription('{"error":40005', '{"error":40905'),
  },
  {
    does: 'says in the description that a NewPlant has no other members',
    breaks: 'HC-65',
    mutation: rewriteDescription('"required":["id","name"]', '"required":["id","name"],"additionalProperties":false'),
  },
  {
    does: 'says in the description that an id is a string, for JavaScript',
    breaks: 'HC-65',
    mutation: rewriteDescription('"type":"integer","format":"int64"', '"type":"string","format":"int64"'),
  },
  {
    does: 'says in the description that a name is enough',
    breaks: 'HC-65',
    mutation: rewriteDescription('"required":["id","name"]', '"required":["name"]'),
  },
  {
    does: 'does not describe the number of a request that takes too long',
    breaks: 'HC-66',
    mutation: rewriteDescription('{"error":40007', '{"error":40807'),
  },
];

/** Replaces a part of the description's text. */
function rewriteDescription(part: string, other: string): Mutation {
  return rewriteResponse(({ body }, { url }) => (url === '/openapi.json' ? { body: body.replace(part, other) } : {}));
}
