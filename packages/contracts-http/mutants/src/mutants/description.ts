import type { IncomingMessage } from 'node:http';
import { descriptionClauses } from '@plant-store/contracts-http/wire';
import type { Mutant } from '../mutant.ts';
import type { Mutation } from '../mutation.ts';
import { type Outgoing, rewriteCreated, rewriteError, rewritePlant, rewriteResponse } from '../mutations/responses.ts';
import { onFastify } from '../mutations/server.ts';

const post = 'paths > /plants > post';
const newPlant = 'components > schemas > NewPlant';
const error = 'components > schemas > Error';
const examples = `${post} > responses > 400 > content > application/json > examples`;
const age = `${post} > responses > 400 > headers > Age`;

/** Break HC-62 to HC-66: the description that the service publishes. */
export const description: readonly Mutant[] = [
  ...descriptionClauses.map(({ id }): Mutant => {
    return [id, 'requires a token for the description', hidingFrom(({ headers }) => !headers.authorization)];
  }),
  [
    'HC-62',
    'requires a valid token for the description if there is one',
    hidingFrom(({ headers }) => headers.authorization === 'Bearer wrong'),
  ],
  ['HC-62', 'has the description for GET alone', hidingFrom(({ method }) => method === 'HEAD')],
  [
    'HC-62',
    'says more to those with a token',
    publishing(({ body }, { headers }) => (headers.authorization ? { body: `${body} ` } : {})),
  ],
  ['HC-62', 'takes POST for GET', onFastify((app) => void app.post('/openapi.json', async () => ({})))],
  [
    'HC-62',
    'forgets HEAD in the Allow of the description',
    publishing(({ headers }) => (headers['allow'] ? { headers: { ...headers, allow: 'GET' } } : {})),
  ],

  describing('HC-63', 'is OpenAPI 3.0', 'openapi', '3.0.4'),
  describing('HC-63', 'declares no authentication', 'security', undefined),
  describing('HC-63', 'excepts the operation from it', `${post} > security`, []),
  describing('HC-63', 'means a key', 'components > securitySchemes > bearerAuth > type', 'apiKey'),
  describing('HC-63', 'has another method', 'paths > /plants > get', {}),
  describing('HC-63', 'has one more parameter', `${post} > parameters > 1`, { name: 'dry', in: 'query' }),
  describing('HC-63', 'makes the body optional', `${post} > requestBody > required`, false),

  describing('HC-64', 'leaves 401 out', `${post} > responses > 401`, undefined),
  describing('HC-64', 'has a Plant with an id', 'components > schemas > Plant > required', ['id', 'name']),
  describing('HC-64', 'leaves a number out', `${examples} > id-taken`, undefined),
  describing('HC-64', 'has a header that is not sent', age, { required: true }),
  describing('HC-64', 'has numbers as texts', `${error} > properties > error > type`, 'string'),
  describing('HC-64', 'has a schema that is none', `${error} > type`, 'record'),
  ['HC-64', 'returns a status that it does not describe', rewriteCreated(() => ({ status: 201 }))],
  ['HC-64', 'returns a member that it does not describe', rewritePlant((plant) => ({ id: 7, ...plant }))],
  [
    'HC-64',
    'returns a number that it does not describe',
    rewriteError(['malformed-json'], (record) => ({ body: JSON.stringify({ ...record, error: 40_099 }) })),
  ],
  [
    'HC-64',
    'returns the message as another member than it describes',
    rewriteError(['malformed-json'], (record) => ({ body: JSON.stringify({ error: record.error, text: 'no JSON' }) })),
  ],
  [
    'HC-64',
    'describes a challenge that it does not send',
    rewriteError(['missing-token'], (_record, { headers }) => ({
      headers: { ...headers, 'www-authenticate': undefined },
    })),
  ],

  describing('HC-65', 'has the id as a text', `${newPlant} > properties > id > type`, 'string'),
  describing('HC-65', 'has the name as optional', `${newPlant} > required`, ['id']),
  describing('HC-65', 'has names that are not empty', `${newPlant} > properties > name > minLength`, 1),
  describing('HC-65', 'has no room for other members', `${newPlant} > additionalProperties`, false),

  describing('HC-66', 'leaves the number of late requests out', `${examples} > request-timeout`, undefined),
  describing('HC-66', 'has a header that is not sent', age, { required: true }),
];

/** The description has this value at this place; undefined takes away what stands there. */
function describing(breaks: string, how: string, place: string, value: unknown): Mutant {
  const mutation = publishing(({ body }, { method }) => {
    if (method !== 'GET') return {};
    const document: unknown = JSON.parse(body);
    set(document as Record<string, unknown>, place.split(' > '), value);
    return { body: JSON.stringify(document) };
  });
  return [breaks, `publishes a description that ${how}`, mutation];
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
