import { openApiHeaders, requestIdInResponse, requestParameters } from './request-id-header.ts';
import { openApiErrors } from './responses.ts';
import { type JsonObject, openApiSchemas } from './schemas.ts';

// OpenAPI has no place for the responses to other paths and methods, so they are described among the components. The
// operation refers to them as well, so that a client with a wrong base address can read the 404 that it gets.
const { 404: notFound, 405: methodNotAllowed, ...errors } = openApiErrors;

/** The description of the interface: OpenAPI 3.1, made of the same records and error catalogue that the service uses. */
export const openApiDocument: JsonObject = {
  openapi: '3.1.1',
  info: {
    title: 'Plant Store Service Interface',
    version: '1.0.0',
    description:
      'A plant store: a client adds a plant by sending a record, and gets the stored plant or an error record.',
    contact: { name: 'The operator of this service' },
    license: { name: 'MIT', identifier: 'MIT' },
  },
  // Relative to where the description is published: the service may be below a path of somebody else's host.
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
          'again at any time, with the same response; 400 if the id is taken by another plant.',
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
            headers: requestIdInResponse,
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
    headers: openApiHeaders,
    responses: { 404: notFound, 405: methodNotAllowed },
    securitySchemes: {
      bearerAuth: {
        type: 'http',
        scheme: 'bearer',
        description:
          'An access token, from the operator of this service. On your own machine it is in the file `data/token`, unless ' +
          'tokens are configured.',
      },
    },
  },
};

function json(schema: string, values: Readonly<Record<string, JsonObject>>): JsonObject {
  const examples = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, examples } };
}
