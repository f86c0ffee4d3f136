import { type Representation, representation, serveRepresentation } from '@plant-store/http-edge';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from './document.ts';

/**
 * `GET /openapi.json` and `GET /openapi.yaml` (RFC 9512): the description of the interface, without a token. It changes
 * only with the service itself: a cache may keep it, and revalidates it by its `ETag`.
 */
export async function openApiRoute(app: FastifyInstance): Promise<void> {
  serveRepresentation(app, '/openapi.json', headers, () => (json ??= inJson()));
  serveRepresentation(app, '/openapi.yaml', headers, () => (yaml ??= inYaml()));
}

const headers = { 'cache-control': 'no-cache' };

// Made once for all servers of a process, when it is first requested: YAML takes a tenth of the time of a start.
let json: Representation | undefined;
let yaml: Promise<Representation> | undefined;

function inJson(): Representation {
  return representation('application/json', Buffer.from(JSON.stringify(openApiDocument)));
}

async function inYaml(): Promise<Representation> {
  const { stringify } = await import('yaml');
  // Parts that occur twice are written twice: tools understand that better than aliases.
  const text = stringify(openApiDocument, { aliasDuplicateObjects: false, blockQuote: 'literal', lineWidth: 0 });
  return representation('application/yaml', Buffer.from(text));
}
