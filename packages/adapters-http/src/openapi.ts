import { STATUS_CODES } from 'node:http';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import { z } from 'zod';
import { anyRequest, defaultMessage, type ErrorKind, statusOf } from './errors.ts';
import { errorsOf, type Operation } from './operation.ts';

// Markdown: an empty line separates paragraphs.
const apiDescription = `A plant store: a client adds a plant by sending a record, and gets the stored plant or an error record.

    curl -i {base address}/plants -H 'Authorization: Bearer {token}' -H 'Content-Type: application/json' -d '{"id": 7, "name": "Fern", "tag": "shade"}'

The service responds within 2.5 seconds after it has read the request, unless its operator allows more. Set the time-out of the client to 10 seconds.

Retry the same request after a time-out, a lost connection, a 429, 502, 503 or 504, or error 40007, and after a 500 at most once. That is safe, because the same NewPlant is stored once. Wait for Retry-After where the response has it, and longer before each further attempt. Do not retry another error unchanged.

A body has at most 65,536 bytes, unless the operator allows another size. The operator may limit the requests per second of each token. A request beyond that limit gets a 429 and is not processed. The service speaks HTTP/1.1 and allows no other origin (CORS).`;

const requestIdText =
  'A correlation ID, echoed in the response and logged: 1 to 128 of the characters ' +
  'A–Z a–z 0–9 _ . ~ : / + = @ -. Invalid values are replaced.';

const commonHeaders = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };
const retryAfter = { type: 'integer', format: 'int32', minimum: 1 };
const retryHeaders = { 'Retry-After': header(retryAfter, 'The seconds to wait before retrying the same request.', 1) };

/** The response headers of each status besides `X-Request-Id`. */
const headersByStatus: Readonly<Record<number, OpenApi.ResponseObject['headers']>> = {
  401: { 'WWW-Authenticate': header({ type: 'string' }, 'The challenge (RFC 6750).', 'Bearer realm="plant-store"') },
  405: { Allow: header({ type: 'string' }, 'The methods that the path allows.', 'POST') },
  429: retryHeaders,
  503: retryHeaders,
};

const errorRecord = z
  .object({
    error: z
      .int32()
      .meta({ description: 'Numeric error indicator: the number of this kind of error.', format: 'int32' }),
    message: z.string().meta({ description: 'Error message text, for people.' }),
  })
  .meta({ id: 'Error', description: 'Why a request failed.' });

/** The response of a status, with an example for each kind. */
function errorResponse(kinds: readonly ErrorKind[], status: number): OpenApi.ResponseObject {
  // An enum in the schema would make a new kind of error break generated clients.
  const examples = kinds.map(({ name }) => [name, { $ref: `#/components/examples/${name}` }]);
  const list = kinds.map(({ error, meaning }) => `- ${error}: ${meaning}`).join('\n');
  return {
    description: `${status === 400 ? 'Unexpected error' : STATUS_CODES[status]}\n\n${list}`,
    headers: { ...commonHeaders, ...headersByStatus[status] },
    ...jsonContent(errorRecord, { examples: Object.fromEntries(examples) }),
  };
}

/** The error responses of an operation: shared ones, unless it has kinds of its own with their status. */
function errorResponses(operation: Operation): OpenApi.ResponsesObject {
  const responses = [...Map.groupBy(errorsOf(operation), statusOf)].map(([status, kinds]) => [
    status,
    isShared(kinds) ? { $ref: `#/components/responses/${responseName(status)}` } : errorResponse(kinds, status),
  ]);
  return Object.fromEntries(responses);
}

const isShared = (kinds: readonly ErrorKind[]) => kinds.every((kind) => Object.values(anyRequest).includes(kind));

/** The shared responses by status. */
function sharedErrors(operations: readonly Operation[]): ReadonlyMap<number, readonly ErrorKind[]> {
  const responses = operations.flatMap((operation) => [...Map.groupBy(errorsOf(operation), statusOf)]);
  return new Map(responses.filter(([, kinds]) => isShared(kinds)));
}

/** The component name of a status, for example `NotFound`. */
function responseName(status: number): string {
  return String(STATUS_CODES[status]).replaceAll(' ', '');
}

/** The JSON content that refers to the schema of a record. */
function jsonContent(record: unknown, more: object = {}) {
  const schema = { $ref: `#/components/schemas/${(record as z.ZodType).meta()?.id}` };
  return { content: { 'application/json': { schema, ...more } } };
}

function header(schema: object, description: string, example: unknown): OpenApi.HeaderObject {
  return { description, required: true, schema, example };
}

/** Records allow other members, which later versions may add; `io: 'output'` would forbid them. */
const asSent: Parameters<typeof z.toJSONSchema>[1] = {
  io: 'input',
  unrepresentable: 'any',
};

/** The schemas of the records. */
const { schemas } = z.toJSONSchema(z.globalRegistry, { ...asSent, uri: (id) => `#/components/schemas/${id}` });

function exampleOf(kind: ErrorKind): OpenApi.ExampleObject {
  const { error, meaning: summary, example: message = defaultMessage(kind) } = kind;
  return { summary, value: { error, message } };
}

const componentsOf = (operations: readonly Operation[]) => ({
  schemas: Object.fromEntries(Object.entries(schemas).map(([id, { $id, $schema, ...schema }]) => [id, schema])),
  headers: {
    'X-Request-Id': header(
      { type: 'string', minLength: 1, maxLength: 128 },
      "The request's ID in the service's log: its own X-Request-Id if that is valid, else a new one.",
      '5f0f7a43-0c6d-4f6e-9f0b-2d1b7c1f9a55',
    ),
  },
  responses: Object.fromEntries(
    [...sharedErrors(operations)].map(([status, kinds]) => [responseName(status), errorResponse(kinds, status)]),
  ),
  examples: Object.fromEntries(errorsOf(...operations).map((kind) => [kind.name, exampleOf(kind)])),
  securitySchemes: {
    bearerAuth: { type: 'http', scheme: 'bearer', description: 'An access token, from the operator of this service.' },
  },
});

/** The options of @fastify/swagger. The zod schemas that validate requests also describe them. @param operations those served. */
export const openApi = (operations: readonly Operation[]): FastifyDynamicSwaggerOptions => ({
  openapi: {
    openapi: '3.1.1',
    info: {
      title: 'Plant Store Service Interface',
      version: '1.0.0',
      description: apiDescription,
      contact: { name: 'The operator of this service' },
      // The plugin's types are those of OpenAPI 3.0, which has no `identifier`.
      license: { name: 'MIT', identifier: 'MIT' } as { name: string },
    },
    // Relative to the description, because a proxy may publish the service below a path.
    servers: [{ url: '.', description: 'The base address of the service.' }],
    security: [{ bearerAuth: [] }],
    tags: [{ name: 'plants', description: 'The plants in the store.' }],
    components: componentsOf(operations) as object,
  },
  hideUntagged: true,
  // `true` fails with a TypeError on a relative server URL.
  stripBasePath: false,
  transform({ schema: { body, params, querystring, response, ...schema } = {}, url, route }) {
    const { 200: record } = (response ?? {}) as { readonly 200?: z.ZodType };
    const documented = {
      ...schema,
      headers: { type: 'object', properties: { 'X-Request-Id': { type: 'string', description: requestIdText } } },
      ...(params ? { params: z.toJSONSchema(params as z.ZodType, asSent) } : {}),
      ...(querystring ? { querystring: z.toJSONSchema(querystring as z.ZodType, asSent) } : {}),
      ...(body ? { body: jsonContent(body) } : {}),
      ...(record
        ? { response: { 200: { description: route.config?.operation?.result, ...jsonContent(record) } } }
        : {}),
    };
    return { url, schema: documented as object };
  },
  // The plugin cannot refer to shared responses and headers, so they are added afterwards.
  transformObject(document) {
    const { openapiObject } = document as { openapiObject: OpenApi.Document };
    for (const path of Object.values(openapiObject.paths ?? {})) {
      for (const described of Object.values(path ?? {}) as OpenApi.OperationObject[]) {
        const operation = operations.find(({ operationId }) => operationId === described.operationId);
        Object.assign(described.responses?.[200] ?? {}, { headers: commonHeaders });
        Object.assign(described.responses ?? {}, operation && errorResponses(operation));
      }
    }
    // Removes object identity, which the YAML serializer would write as aliases.
    return JSON.parse(JSON.stringify(openapiObject));
  },
});
