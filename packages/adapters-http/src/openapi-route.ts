import type { FastifyInstance } from 'fastify';
import { openApiDocument } from './openapi.ts';
import { sendJson } from './send-json.ts';

/** `GET /openapi.json`: the description of the interface, for anyone, without a token. */
export async function openApiRoute(app: FastifyInstance): Promise<void> {
  const text = JSON.stringify(openApiDocument);
  app.get('/openapi.json', (_request, reply) => sendJson(reply, text));
}
