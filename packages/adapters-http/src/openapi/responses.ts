import { errorCatalogue, type FailureKind, type FailureStatus, statusOf } from '../errors/catalogue.ts';
import { answerHeaders } from './request-id.ts';
import type { JsonObject } from './schemas.ts';

const retryAfter = header('integer', 'The seconds to wait before the same request is sent again.', 1);

/** What each status of the error catalogue says, and the headers that it comes with. */
const statuses: Readonly<Record<FailureStatus, { readonly says: string; readonly headers?: JsonObject }>> = {
  400: { says: 'Unexpected error: the request is at fault.' },
  401: {
    says: 'The credentials are at fault.',
    headers: {
      'WWW-Authenticate': header('string', 'The challenge (RFC 6750 section 3).', 'Bearer realm="plant-store"'),
    },
  },
  404: { says: 'The address is at fault. Other paths than those described are answered this way.' },
  405: {
    says: 'The method is at fault. Other methods than those described are answered this way.',
    headers: { Allow: header('string', 'The methods that the path can be used with.', 'POST') },
  },
  429: {
    says: "The caller's pace is at fault. Only where the operator has set a limit.",
    headers: { 'Retry-After': retryAfter },
  },
  500: { says: 'The service has a defect.' },
  503: {
    says: 'The service cannot answer right now.',
    headers: { 'Retry-After': retryAfter },
  },
};

/** The failures of the catalogue as OpenAPI Response Objects, one for each status, by the status. */
export const openApiErrors: JsonObject = Object.fromEntries(
  Object.entries(statuses).map(([status, { says, headers }]) => {
    const kinds = (Object.keys(errorCatalogue) as FailureKind[]).filter((kind) => statusOf(kind) === Number(status));
    const meanings = kinds.map((kind) => `- ${errorCatalogue[kind].error}: ${errorCatalogue[kind].meaning}`);
    const content = {
      schema: { $ref: '#/components/schemas/Error' },
      // Not an enum in the schema: a new kind of failure must not break the clients that were generated before.
      examples: Object.fromEntries(kinds.map((kind) => [kind, exampleOf(kind)])),
    };
    const description = `${says}\n\n${meanings.join('\n')}`;
    return [
      status,
      { description, headers: { ...answerHeaders, ...headers }, content: { 'application/json': content } },
    ];
  }),
);

function exampleOf(kind: FailureKind): JsonObject {
  const { error, meaning } = errorCatalogue[kind];
  return { value: { error, message: meaning } };
}

function header(type: string, description: string, example: unknown): JsonObject {
  return { description, required: true, schema: { type }, example };
}
