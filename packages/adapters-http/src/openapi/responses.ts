import { byStatus, type ErrorKind, type ErrorKinds } from '../operations/error-catalogue.ts';
import type { JsonObject } from '../operations/operation.ts';

/** The header of every response, which each of them refers to. */
export const requestIdInResponse: JsonObject = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };

const retryAfter = {
  'Retry-After': header('integer', 'The seconds to wait before retrying the same request.', 1),
};

/** What each status means, and its own headers. */
const statuses: Readonly<Record<string, readonly [meaning: string, headers?: JsonObject]>> = {
  400: ['Unexpected error: the request is invalid.'],
  401: [
    'The credentials are missing or invalid.',
    { 'WWW-Authenticate': header('string', 'The challenge (RFC 6750 section 3).', 'Bearer realm="plant-store"') },
  ],
  404: ['Not found: the response to every path that is not described.'],
  405: [
    'Method not allowed: the response to every method that is not described.',
    { Allow: header('string', 'The methods that the path allows.', 'POST') },
  ],
  429: ['Rate limit exceeded. Only if the operator has set a limit.', retryAfter],
  500: ['The service has a defect.'],
  503: ['The service is unavailable right now.', retryAfter],
};

/** Errors as OpenAPI Response Objects, one for each status, by the status. */
export function openApiErrors(errors: ErrorKinds): JsonObject {
  return Object.fromEntries([...byStatus(errors)].map(([status, its]) => [status, responseObject(status, its)]));
}

function responseObject(status: string, kinds: readonly (readonly [name: string, kind: ErrorKind])[]): JsonObject {
  const [statusMeaning, headers] = statuses[status] ?? [];
  if (statusMeaning === undefined) throw new Error(`say what ${status} means in openapi/responses.ts`);
  const list = kinds.map(([, { error, meaning }]) => `- ${error}: ${meaning}`);
  const examples = kinds.map(([name, { error, meaning, example }]) => [
    name,
    { summary: meaning, value: { error, message: example } },
  ]);
  return {
    description: `${statusMeaning}\n\n${list.join('\n')}`,
    headers: { ...requestIdInResponse, ...headers },
    // Not an enum in the schema: a new kind of error must not break the clients that were generated before.
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) },
    },
  };
}

function header(type: string, description: string, example: unknown): JsonObject {
  return { description, required: true, schema: { type }, example };
}
