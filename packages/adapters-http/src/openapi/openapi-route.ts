import { type Representation, representation, serveRepresentation } from '@plant-store/http-edge';
import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../operations/operation.ts';

/**
 * `GET /openapi.json` and `GET /openapi.yaml` (RFC 9512): the description of the interface, without a token. It changes
 * only with the service itself: a cache may keep it, and revalidates it by its `ETag`.
 *
 * @param describe is called when the description is first requested: YAML takes a tenth of the time of a start.
 */
export async function openApiRoute(
  app: FastifyInstance,
  { describe }: { readonly describe: () => JsonObject },
): Promise<void> {
  let json: Representation | undefined;
  let yaml: Promise<Representation> | undefined;
  serveRepresentation(app, '/openapi.json', headers, () => (json ??= inJson(describe())));
  serveRepresentation(app, '/openapi.yaml', headers, () => (yaml ??= inYaml(describe())));
}

const headers = { 'cache-control': 'no-cache' };

function inJson(description: JsonObject): Representation {
  return representation('application/json', Buffer.from(JSON.stringify(description)));
}

async function inYaml(description: JsonObject): Promise<Representation> {
  const { stringify } = await import('yaml');
  // Parts that occur twice are written twice: tools understand that better than aliases.
  const text = stringify(description, { aliasDuplicateObjects: false, blockQuote: 'literal', lineWidth: 0 });
  return representation('application/yaml', Buffer.from(text));
}
