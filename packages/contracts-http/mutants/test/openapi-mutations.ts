import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Changes the correct server before it listens. */
export type Mutation = (app: FastifyInstance) => void;

const post = 'paths > /plants > post';
const newPlant = 'components > schemas > NewPlant';
const examples = `${post} > responses > 400 > content > application/json > examples`;

/** Services that break these clauses, and only these: what the description says, or is silent about. */
export const mutations: Readonly<Record<string, readonly (readonly [does: string, mutation: Mutation])[]>> = {
  'HC-62': [
    ['requires a valid token if there is one', hidingFrom(({ headers }) => headers.authorization === 'Bearer wrong')],
    ['does not know HEAD', hidingFrom(({ method }) => method === 'HEAD')],
    ['says more to those with a token', rewriting(({ headers }, body) => (headers.authorization ? `${body} ` : body))],
    ['takes POST for GET', (app) => app.post('/openapi.json', async () => ({}))],
    [
      'says that there is no HEAD',
      answering((_, reply) => reply.getHeader('allow') === 'GET, HEAD' && reply.header('allow', 'GET')),
    ],
  ],
  'HC-63': [
    ['is OpenAPI 3.0', describing('openapi', '3.0.4')],
    ['has another title', describing('info > title', 'Plants')],
    ['has another version', describing('info > version', '2.0.0')],
    ['has another license', describing('info > license > identifier', 'ISC')],
    ['declares no authentication', describing('security', undefined)],
    ['lets anybody in as well', describing('security', [{ bearerAuth: [] }, {}])],
    ['excepts the operation from it', describing(`${post} > security`, [])],
    ['means another scheme', describing('components > securitySchemes > bearerAuth > scheme', 'basic')],
    ['means a key', describing('components > securitySchemes > bearerAuth > type', 'apiKey')],
    ['has another path', describing('paths > /plants/{id}', { get: {} })],
    ['has another method', describing('paths > /plants > get', {})],
    ['names the operation otherwise', describing(`${post} > operationId`, 'addPlant')],
    ['has no parameter', describing(`${post} > parameters`, undefined)],
    ['has another parameter', describing(`${post} > parameters > 0 > name`, 'X-Correlation-Id')],
    ['has one more parameter', describing(`${post} > parameters > 1`, { name: 'dry', in: 'query' })],
    ['has its parameter in the query', describing(`${post} > parameters > 0 > in`, 'query')],
    ['wants an id of every request', describing(`${post} > parameters > 0 > required`, true)],
    ['makes the body optional', describing(`${post} > requestBody > required`, false)],
  ],
  'HC-64': [
    ['leaves 401 out', describing(`${post} > responses > 401`, undefined)],
    ['leaves 405 out', describing('components > responses > 405', undefined)],
    ['has another media type', describing(`${post} > responses > 200 > content`, { 'application/xml': {} })],
    ['has a Plant with an id', describing('components > schemas > Plant > required', ['id', 'name'])],
    ['has no tag', describing('components > schemas > Plant > properties > tag', undefined)],
    ['leaves a number out', describing(`${examples} > id-taken`, undefined)],
    ['has another number', describing(`${examples} > malformed-json > value > error`, 40_099)],
    [
      'is silent about a status',
      answering(({ method }, reply) => method === 'POST' && reply.statusCode === 200 && reply.code(201)),
    ],
    ['omits a member', rewriting((_, body) => body.replace(/^{"name"/, '{"id":7,"name"'))],
    ['omits the number of an error', rewriting((_, body) => body.replace(/^{"error":40001/, '{"error":40099'))],
    ['has messages that are not sent', rewriting((_, body) => body.replace('"message":"the body', '"text":"the body'))],
    ['has a challenge that is not sent', answering((_, reply) => reply.removeHeader('www-authenticate'))],
  ],
  'HC-64 and HC-66': [
    ['has a header that is not sent', describing(`${post} > responses > 400 > headers > Age`, { required: true })],
    [
      'refers to a header that is not sent',
      describing(`${post} > responses > 400 > headers > Age`, { $ref: '#/components/headers/X-Request-Id' }),
    ],
    ['has numbers as texts', describing('components > schemas > Error > properties > error > type', 'string')],
    ['has smaller numbers', describing('components > schemas > Error > properties > error > maximum', 40_000)],
    ['has a schema that is none', describing('components > schemas > Error > type', 'record')],
    ['refers to nothing', describing('components > schemas > Error', undefined)],
  ],
  'HC-65': [
    ['has the id as a text', describing(`${newPlant} > properties > id > type`, 'string')],
    ['has the id as any number', describing(`${newPlant} > properties > id`, { type: 'number' })],
    ['has the name as optional', describing(`${newPlant} > required`, ['id'])],
    ['has the tag as required', describing(`${newPlant} > required`, ['id', 'name', 'tag'])],
    ['has null for a tag', describing(`${newPlant} > properties > tag > type`, ['string', 'null'])],
    ['has names that are not empty', describing(`${newPlant} > properties > name > minLength`, 1)],
    ['has no room for other members', describing(`${newPlant} > additionalProperties`, false)],
    ['has no schema for the body', describing(`${post} > requestBody > content`, {})],
  ],
  'HC-66': [['leaves the number of late requests out', describing(`${examples} > request-timeout`, undefined)]],
};

/** The description is not there for some requests. */
export function hidingFrom(whom: (request: FastifyRequest) => boolean): Mutation {
  return (app) =>
    app.addHook('onRequest', async (request, reply) => {
      if (request.url === '/openapi.json' && whom(request))
        return reply.code(401).send({ error: 40101, message: 'no' });
    });
}

/** The description has this value at this place; undefined takes away what stands there. */
function describing(place: string, value: unknown): Mutation {
  return rewriting(({ url, method }, body) => {
    if (url !== '/openapi.json' || method !== 'GET') return body;
    const document: unknown = JSON.parse(body);
    set(document as Record<string, unknown>, place.split(' > '), value);
    return JSON.stringify(document);
  });
}

function set(document: Record<string, unknown>, [name = '', ...below]: readonly string[], value: unknown): void {
  if (below.length > 0) {
    document[name] ??= {};
    set(document[name] as Record<string, unknown>, below, value);
  } else document[name] = value;
}

function rewriting(rewrite: (request: FastifyRequest, body: string) => string): Mutation {
  return (app) =>
    app.addHook('onSend', async (request, _reply, body) =>
      typeof body === 'string' || Buffer.isBuffer(body) ? rewrite(request, body.toString()) : body,
    );
}

function answering(change: (request: FastifyRequest, reply: FastifyReply) => unknown): Mutation {
  return (app) => app.addHook('onSend', async (request, reply) => void change(request, reply));
}
