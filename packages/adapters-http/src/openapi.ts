import { openApiErrors } from './openapi-responses.ts';
import { type JsonObject, openApiSchemas } from './openapi-schemas.ts';

// OpenAPI has no place for the answers to other paths and methods; among the components they are described all the same.
const { 404: noSuchPath, 405: methodNotAllowed, ...errors } = openApiErrors;

/** The description of the interface: OpenAPI 3.1, made of the records and the error catalogue that the service runs on. */
export const openApiDocument: JsonObject = {
  openapi: '3.1.1',
  info: {
    title: 'Plant Store Service Interface',
    version: '1.0.0',
    description:
      'A plant store: a client adds a plant by sending a record, and is answered with the stored plant or with an error record.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  // Relative to where the description is published: the service may stand below a path of somebody else's host.
  servers: [{ url: '.', description: 'The base address of the service.' }],
  security: [{ bearerAuth: [] }],
  paths: {
    '/plants': {
      post: {
        operationId: 'createPlant',
        summary: 'Create plant',
        description:
          'Creates a new plant in the store. 200 is sent once the plant is stored durably. The same NewPlant may be sent ' +
          'again at any time, and is answered as the first time; an id that another plant has is answered 400.',
        requestBody: {
          required: true,
          content: json('NewPlant', { id: 7, name: 'Fern', tag: 'shade' }),
        },
        responses: {
          200: { description: 'The created plant.', content: json('Plant', { name: 'Fern', tag: 'shade' }) },
          ...errors,
        },
      },
    },
  },
  components: {
    schemas: openApiSchemas,
    responses: { 404: noSuchPath, 405: methodNotAllowed },
    securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } },
  },
};

function json(schema: string, example: JsonObject): JsonObject {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, example } };
}
