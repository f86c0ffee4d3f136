/** A NewPlant as a typical Fastify application reads it: the id is rounded to a double. */
export interface NewPlantBody {
  readonly id: number;
  readonly name: string;
  readonly tag?: string;
}

/** Fastify's own validation (Ajv) and serialization (fast-json-stringify). */
export const newPlant = {
  body: {
    type: 'object',
    required: ['id', 'name'],
    properties: { id: { type: 'integer' }, name: { type: 'string' }, tag: { type: 'string' } },
  },
  response: {
    200: { type: 'object', properties: { name: { type: 'string' }, tag: { type: 'string' } } },
  },
};
