import type { JsonObject } from './schemas.ts';

/**
 * What a caller may send along. Its schema allows any text: one that is not usable is no fault of the request. `traceparent`
 * is not here, since no caller writes it: its instrumentation does, on every request to anybody. It has no example, which
 * a page to try the operation would send: everybody's requests would be called the same.
 */
export const requestParameters: readonly JsonObject[] = [
  {
    name: 'X-Request-Id',
    in: 'header',
    description:
      "What the request is to be called in the service's log and in its answer: 1 to 128 of the characters " +
      'A–Z a–z 0–9 _ . ~ : / + = @ -. Any other is passed over.',
    required: false,
    schema: { type: 'string' },
  },
];

/** The headers that every answer has. */
export const answerHeaders: JsonObject = {
  'X-Request-Id': {
    description: "What the service's log calls the request: its own X-Request-Id if that is usable, else a new one.",
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 128 },
    example: '5f0f7a43-0c6d-4f6e-9f0b-2d1b7c1f9a55',
  },
};
