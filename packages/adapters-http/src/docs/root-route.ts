import { sendJson, sendRedirect } from '@plant-store/http-edge';
import type { FastifyInstance } from 'fastify';
import Negotiator from 'negotiator';

/**
 * `GET /`: leads a browser to the page, and tells everybody else the addresses of the service, without a token. They are
 * relative to `/`, so the service may be below a path of somebody else's host.
 *
 * @param docs whether there is a page.
 */
export async function rootRoute(app: FastifyInstance, { docs }: { readonly docs: boolean }): Promise<void> {
  const addresses = JSON.stringify({
    plants: './plants',
    openapi: './openapi.json',
    ...(docs ? { docs: './docs' } : {}),
  });
  app.route({
    method: ['GET', 'HEAD'],
    url: '/',
    handler: (request, reply) => {
      reply.header('vary', 'accept');
      // JSON comes first: it is for everybody who accepts anything.
      const mediaType = new Negotiator(request).mediaType(['application/json', 'text/html']);
      return docs && mediaType === 'text/html' ? sendRedirect(reply, './docs') : sendJson(reply, addresses);
    },
  });
}
