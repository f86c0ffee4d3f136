import type { FastifyInstance } from 'fastify';
import { stringify } from 'yaml';
import { representation, serveRepresentation } from '../reply/representation.ts';
import { openApiDocument } from './document.ts';

/**
 * `GET /openapi.json` and `GET /openapi.yaml` (RFC 9512): the description of the interface, without a token. It changes
 * only with the service itself: a cache may keep it, and revalidates it by its `ETag`.
 */
export async function openApiRoute(app: FastifyInstance): Promise<void> {
  const json = JSON.stringify(openApiDocument);
  // Parts that occur twice are written twice: tools understand that better than aliases.
  const yaml = stringify(openApiDocument, { aliasDuplicateObjects: false, blockQuote: 'literal', lineWidth: 0 });
  const descriptions = {
    '/openapi.json': representation('application/json', Buffer.from(json)),
    '/openapi.yaml': representation('application/yaml', Buffer.from(yaml)),
  };
  for (const [path, description] of Object.entries(descriptions)) {
    serveRepresentation(app, path, { 'cache-control': 'no-cache' }, () => description);
  }
}
