import { answerHeaders, requestParameters } from './request-id.ts';
import { openApiErrors } from './responses.ts';
import { type JsonObject, openApiSchemas } from './schemas.ts';

// The answers to other paths and methods, for which OpenAPI has no place: they are described among the components. The
// operation refers to them as well, so that a client with a wrong base address can read the 404 that it gets.
const { 404: noSuchPath, 405: methodNotAllowed, ...errors } = openApiErrors;

/** The description of the interface: OpenAPI 3.1, made of the records and the error catalogue that the service runs on. */
export const openApiDocument: JsonObject = {
  openapi: '3.1.1',
  info: {
    title: 'Plant Store Service Interface',
    version: '1.0.0',
    description:
      'A plant store: a client adds a plant by sending a record, and is answered with the stored plant or with an error record.',
    contact: { name: 'Whoever runs this service' },
    license: { name: 'MIT', identifier: 'MIT' },
  },
  // Relative to where the description is published: the service may stand below a path of somebody else's host.
  servers: [{ url: '.', description: 'The base address of the service.' }],
  security: [{ bearerAuth: [] }],
  tags: [{ name: 'plants', description: 'The plants in the store.' }],
  paths: {
    '/plants': {
      post: {
        operationId: 'createPlant',
        summary: 'Create plant',
        tags: ['plants'],
        description:
          'Creates a new plant in the store. 200 is sent once the plant is stored durably. The same NewPlant may be sent ' +
          'again at any time, and is answered as the first time; an id that another plant has is answered 400.',
        parameters: requestParameters,
        requestBody: {
          required: true,
          content: json('NewPlant', {
            'with-a-tag': { id: 7, name: 'Fern', tag: 'shade' },
            'without-a-tag': { id: 8, name: 'Moss' },
          }),
        },
        responses: {
          200: {
            description: 'The created plant.',
            headers: answerHeaders,
            content: json('Plant', { 'with-a-tag': { name: 'Fern', tag: 'shade' }, 'without-a-tag': { name: 'Moss' } }),
          },
          ...errors,
          404: { $ref: '#/components/responses/404' },
          405: { $ref: '#/components/responses/405' },
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

function json(schema: string, values: Readonly<Record<string, JsonObject>>): JsonObject {
  const examples = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, examples } };
}
