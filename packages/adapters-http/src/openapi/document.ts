import { errorsOf, ofEveryOperation } from '../operations/error-catalogue.ts';
import type { DescribedRecord, JsonObject, Operation } from '../operations/operation.ts';
import { openApiErrors, requestIdInResponse } from './responses.ts';
import { openApiSchemas } from './schemas.ts';

/** What of an operation is described. */
type Described = Omit<Operation, 'handle' | 'respond'>;

// OpenAPI has no place for the responses to other paths and methods, so they are described among the components. The
// operations refer to them as well, so that a client with a wrong base address can read the 404 that it gets.
const { 'no-such-path': noSuchPath, 'method-not-allowed': methodNotAllowed } = ofEveryOperation;
const elsewhere = openApiErrors({ 'no-such-path': noSuchPath, 'method-not-allowed': methodNotAllowed });

/**
 * Its schema allows any text: an invalid ID is no error of the request. `traceparent` is not here, because no person writes
 * it: instrumentation does, on every request to anybody. There is no example, because a page to try the operation would send
 * it: everybody's requests would have the same ID.
 */
const requestId: JsonObject = {
  name: 'X-Request-Id',
  in: 'header',
  description:
    'A correlation ID, echoed in the response and logged: 1 to 128 of the characters ' +
    'A–Z a–z 0–9 _ . ~ : / + = @ -. Invalid values are replaced.',
  required: false,
  schema: { type: 'string' },
};

// Paragraphs, with an empty line between them.
const forClients = `A plant store: a client adds a plant by sending a record, and gets the stored plant or an error record. No operation reads, lists, changes or deletes plants.

The service responds within 2.5 seconds after it has read the request, unless its operator allows more. Set the time-out of the client to 10 seconds.

Retry the same request after a time-out, a lost connection, a 429, 502, 503 or 504, or error 40007, and after a 500 at most once. That is safe, because the same NewPlant is stored once. Wait for Retry-After where the response has it, and longer before each further attempt. Do not retry another error unchanged.

A body has at most 1,048,576 bytes, unless the operator allows another size. The operator may limit the requests per second of each token. A request beyond that limit gets a 429 and is not processed. The service speaks HTTP/1.1 and allows no other origin (CORS).`;

/** Describes operations: OpenAPI 3.1, made of the same records and error catalogue that the service uses. */
export function openApiDocument(operations: readonly Described[]): JsonObject {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Plant Store Service Interface',
      version: '1.0.0',
      description: forClients,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Relative to where the description is published: the service may be below a path of somebody else's host.
    servers: [{ url: '.', description: 'The base address of the service.' }],
    // The base address leads a browser to the page. If the operator has turned the page off, it lists the other addresses.
    externalDocs: { url: '.', description: 'A page to read this description and to try the operations.' },
    security: [{ bearerAuth: [] }],
    tags: Object.values(Object.fromEntries(operations.map(({ tag }) => [tag.name, tag]))),
    paths: pathsOf(operations),
    components: {
      schemas: openApiSchemas(operations),
      headers: {
        'X-Request-Id': {
          description: "The request's ID in the service's log: its own X-Request-Id if that is valid, else a new one.",
          required: true,
          schema: { type: 'string', minLength: 1, maxLength: 128 },
          example: '5f0f7a43-0c6d-4f6e-9f0b-2d1b7c1f9a55',
        },
      },
      responses: elsewhere,
      securitySchemes: {
        bearerAuth: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An access token, from the operator of this service. A service that generates a token prints the name of its file ' +
            'at the start.',
        },
      },
    },
  };
}

function pathsOf(operations: readonly Described[]): JsonObject {
  const paths = Map.groupBy(operations, ({ path }) => path);
  return Object.fromEntries(
    [...paths].map(([path, members]) => [
      path,
      Object.fromEntries(members.map((each) => [each.method.toLowerCase(), operationObject(each)])),
    ]),
  );
}

function operationObject(operation: Described): JsonObject {
  const { id, summary, tag, description, parameters = {}, body, response } = operation;
  const inPath = Object.entries(parameters).map(([name, { read, ...parameter }]) => ({
    name,
    in: 'path',
    required: true,
    ...parameter,
  }));
  return {
    operationId: id,
    summary,
    tags: [tag.name],
    description,
    parameters: [...inPath, requestId],
    ...(body ? { requestBody: { required: true, content: json(body) } } : {}),
    responses: {
      200: { description: response.description, headers: requestIdInResponse, content: json(response) },
      ...responsesOf(openApiErrors(errorsOf(operation))),
    },
  };
}

/** Refers to what is described among the components already. */
function responsesOf(errors: JsonObject): JsonObject {
  const same = (status: string) => JSON.stringify(errors[status]) === JSON.stringify(elsewhere[status]);
  return Object.fromEntries(
    Object.keys(errors).map((status) => [
      status,
      same(status) ? { $ref: `#/components/responses/${status}` } : errors[status],
    ]),
  );
}

function json({ name, examples }: DescribedRecord): JsonObject {
  const values = Object.fromEntries(Object.entries(examples).map(([key, value]) => [key, { value }]));
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` }, examples: values } };
}
