import { statusOf } from '@plant-store/http-edge';
import { type ErrorKind, type ErrorStatus, errorCatalogue } from '../errors/catalogue.ts';
import type { JsonObject } from '../operations/operation.ts';
import { exampleMessages } from './example-messages.ts';
import { requestIdInResponse } from './request-id-header.ts';

const retryAfter = header('integer', 'The seconds to wait before retrying the same request.', 1);

interface Status {
  readonly meaning: string;
  readonly headers?: JsonObject;
}

/** What each status of the error catalogue means, and its own headers. */
const statuses: Readonly<Record<ErrorStatus, Status>> = {
  400: { meaning: 'Unexpected error: the request is invalid.' },
  401: {
    meaning: 'The credentials are missing or invalid.',
    headers: {
      'WWW-Authenticate': header('string', 'The challenge (RFC 6750 section 3).', 'Bearer realm="plant-store"'),
    },
  },
  404: { meaning: 'Not found: the response to every path that is not described.' },
  405: {
    meaning: 'Method not allowed: the response to every method that is not described.',
    headers: { Allow: header('string', 'The methods that the path allows.', 'POST') },
  },
  429: {
    meaning: 'Rate limit exceeded. Only if the operator has set a limit.',
    headers: { 'Retry-After': retryAfter },
  },
  500: { meaning: 'The service has a defect.' },
  503: {
    meaning: 'The service is unavailable right now.',
    headers: { 'Retry-After': retryAfter },
  },
};

/** Errors of the catalogue as OpenAPI Response Objects, one for each status, by the status. */
export function openApiErrors(kinds: readonly ErrorKind[]): JsonObject {
  const byStatus = Map.groupBy(kinds, (kind) => String(statusOf(errorCatalogue[kind])) as ErrorStatus);
  return Object.fromEntries([...byStatus].map(([status, its]) => [status, responseObject(statuses[status], its)]));
}

function responseObject({ meaning, headers }: Status, kinds: readonly ErrorKind[]): JsonObject {
  const list = kinds.map((kind) => `- ${errorCatalogue[kind].error}: ${errorCatalogue[kind].meaning}`);
  const content = {
    schema: { $ref: '#/components/schemas/Error' },
    // Not an enum in the schema: a new kind of error must not break the clients that were generated before.
    examples: Object.fromEntries(kinds.map((kind) => [kind, exampleOf(kind)])),
  };
  return {
    description: `${meaning}\n\n${list.join('\n')}`,
    headers: { ...requestIdInResponse, ...headers },
    content: { 'application/json': content },
  };
}

function exampleOf(kind: ErrorKind): JsonObject {
  const { error, meaning } = errorCatalogue[kind];
  return { summary: meaning, value: { error, message: exampleMessages[kind] } };
}

function header(type: string, description: string, example: unknown): JsonObject {
  return { description, required: true, schema: { type }, example };
}
