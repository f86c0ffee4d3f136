import type { JsonObject } from '../operations/operation.ts';

/**
 * The request header. Its schema allows any text: an invalid ID is no error of the request. `traceparent` is not here,
 * because no person writes it: instrumentation does, on every request to anybody. There is no example, because a page to
 * try the operation would send it: everybody's requests would have the same ID.
 */
export const requestParameters: readonly JsonObject[] = [
  {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'A correlation ID, echoed in the response and logged: 1 to 128 of the characters ' +
      'A–Z a–z 0–9 _ . ~ : / + = @ -. Invalid values are replaced.',
    required: false,
    schema: { type: 'string' },
  },
];

/** The header of every response, which each of them refers to. */
export const requestIdInResponse: JsonObject = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };

/** It, described. */
export const openApiHeaders: JsonObject = {
  'X-Request-Id': {
    description: "The request's ID in the service's log: its own X-Request-Id if that is valid, else a new one.",
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 128 },
    example: '5f0f7a43-0c6d-4f6e-9f0b-2d1b7c1f9a55',
  },
};
