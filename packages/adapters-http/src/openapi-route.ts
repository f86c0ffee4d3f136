import etag from '@fastify/etag';
import type { FastifyInstance } from 'fastify';
import { stringify } from 'yaml';
import { openApiDocument } from './openapi.ts';
import { sendContent } from './send-content.ts';
import { sendJson } from './send-json.ts';

/**
 * `GET /openapi.json` and `GET /openapi.yaml` (RFC 9512): the description of the interface, for anyone, without a token.
 * It changes only with the service itself: a cache may keep it, and asks with its `ETag` whether it is still the same.
 */
export async function openApiRoute(app: FastifyInstance): Promise<void> {
  const json = JSON.stringify(openApiDocument);
  // Parts that stand twice are written twice: tools understand that better than aliases.
  const yaml = stringify(openApiDocument, { aliasDuplicateObjects: false, blockQuote: 'literal', lineWidth: 0 });
  await app.register(etag);
  // Without a body there is no length: one of 0 would be the wrong one (RFC 9110 section 8.6).
  app.addHook('onSend', async (_request, reply, body) => (reply.statusCode === 304 ? null : body));
  app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-cache'));
  app.get('/openapi.json', (_request, reply) => sendJson(reply, json));
  app.get('/openapi.yaml', (_request, reply) => sendContent(reply, 'application/yaml', yaml));
}
