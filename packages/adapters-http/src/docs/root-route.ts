import { sendJson, sendRedirect } from '@plant-store/http-edge';
import type { FastifyInstance } from 'fastify';
import Negotiator from 'negotiator';
import type { Operation } from '../operations/operation.ts';

/**
 * `GET /`: leads a browser to the page, and tells everybody else the addresses of the service, without a token. They are
 * relative to `/`, so the service may be below a path of somebody else's host.
 *
 * @param docs whether there is a page.
 */
export async function rootRoute(
  app: FastifyInstance,
  { operations, docs }: { readonly operations: readonly Pick<Operation, 'path'>[]; readonly docs: boolean },
): Promise<void> {
  // Those with a parameter have no address of their own.
  const paths = operations.map(({ path }) => path).filter((path) => !path.includes('{'));
  const addresses = JSON.stringify({
    ...Object.fromEntries(paths.map((path) => [path.slice(1), `.${path}`])),
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
