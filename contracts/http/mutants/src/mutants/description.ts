import type { IncomingMessage } from 'node:http';
import type { Mutants, Mutation } from '../mutation.ts';
import { type Outgoing, rewriteError, rewritePlant, rewriteResponse } from '../mutations/responses.ts';

const post = 'paths > /plants > post';
const newPlant = 'components > schemas > NewPlant';

/** Break HC-62 to HC-66: the description that the service publishes. */
export const description: Mutants = {
  // More than two: one for each of its checks, of two clients, HEAD, other methods and Allow.
  'HC-62': {
    'requires a valid token for the description, if there is one': hidingFrom(
      ({ headers }) => headers.authorization === 'Bearer wrong',
    ),
    'says more to those with a token': publishing(({ body }, { headers }) =>
      headers.authorization ? { body: `${body} ` } : {},
    ),
    'has the description for GET alone': hidingFrom(({ method }) => method === 'HEAD'),
    'takes POST for GET': { server: (app) => app.post('/openapi.json', async () => ({})) },
    'forgets HEAD in the Allow of the description': publishing(({ headers }) =>
      headers['allow'] ? { headers: { allow: 'GET' } } : {},
    ),
  },
  // More than two: the version, the table of facts, the other operations.
  'HC-63': {
    'publishes OpenAPI 3.0': describing('openapi', '3.0.4'),
    'describes the operation as one without authentication': describing(`${post} > security`, []),
    'describes a method that is none': describing('paths > /plants > get', {}),
  },
  // More than two: one for each part that is described, and one for a description of it that is none.
  'HC-64': {
    'leaves 401 out of the description': describing(`${post} > responses > 401`, undefined),
    'describes errors by a schema that is none': describing('components > schemas > Error > type', 'record'),
    'returns a member that it does not describe': rewritePlant((plant) => ({ id: 7, ...plant })),
    'returns a number that it does not describe': rewriteError('malformed-json', (record) => ({
      body: JSON.stringify({ ...record, error: 40_099 }),
    })),
    'describes a challenge that it does not send': rewriteError('missing-token', () => ({
      headers: { 'www-authenticate': undefined },
    })),
  },
  'HC-65': {
    'describes the name as optional': describing(`${newPlant} > required`, ['id']),
    'describes a record without room for other members': describing(`${newPlant} > additionalProperties`, false),
  },
  'HC-66': {
    'has the description for clients with a token alone': hidingFrom(({ headers }) => !headers.authorization),
    'leaves the number of late requests out of the description': describing(
      'components > responses > BadRequest > content > application/json > examples > request-timeout',
      undefined,
    ),
  },
};

/** The description has this value at this place; undefined takes away what stands there. */
function describing(place: string, value: unknown): Mutation {
  return publishing(({ body }, { method }) => {
    if (method !== 'GET') return {};
    const document: unknown = JSON.parse(body);
    set(document as Record<string, unknown>, place.split(' > '), value);
    return { body: JSON.stringify(document) };
  });
}

function set(document: Record<string, unknown>, [name = '', ...below]: readonly string[], value: unknown): void {
  if (below.length > 0) {
    document[name] ??= {};
    set(document[name] as Record<string, unknown>, below, value);
  } else document[name] = value;
}

/** The description is not there for some requests. */
function hidingFrom(whom: (request: IncomingMessage) => boolean): Mutation {
  const hidden = { status: 401, body: '{"error":40101,"message":"no"}' };
  return publishing((_outgoing, request) => (whom(request) ? hidden : {}));
}

function publishing(rewrite: (outgoing: Outgoing, request: IncomingMessage) => Partial<Outgoing>): Mutation {
  return rewriteResponse((outgoing, request) => (request.url === '/openapi.json' ? rewrite(outgoing, request) : {}));
}
