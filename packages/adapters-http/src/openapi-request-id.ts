import type { JsonObject } from './openapi-schemas.ts';

const example = '5f0f7a43-0c6d-4f6e-9f0b-2d1b7c1f9a55';

/** The headers that every answer has. */
export const answerHeaders: JsonObject = {
  'X-Request-Id': {
    description:
      "What the request is called in the service's log: the X-Request-Id that it came with, if it is 1 to 128 of the characters A–Z a–z 0–9 _ . ~ : / + = @ -, else a new one.",
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 128 },
    example,
  },
};
