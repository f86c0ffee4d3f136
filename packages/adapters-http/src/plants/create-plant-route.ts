import type { CreatePlant, NewPlant, TokenVerifier } from '@plant-store/domain';
import { exchangeOf, HttpError, type JsonBodies, sendJson } from '@plant-store/http-edge';
import { parseJson, readNewPlant } from '@plant-store/plant-json';
import type { FastifyInstance } from 'fastify';
import { authenticate } from './authenticate.ts';
import { limitRate } from './rate-limit.ts';

/** What the route is made of. */
export interface PlantsRouteOptions {
  readonly createPlant: CreatePlant;
  readonly tokens: TokenVerifier;
  readonly requestsPerSecond?: number | undefined;
  readonly bodies: JsonBodies;
}

/** `POST /plants`, the one operation. */
export async function plantsRoute(
  app: FastifyInstance,
  { createPlant, tokens, requestsPerSecond, bodies }: PlantsRouteOptions,
): Promise<void> {
  const limit = requestsPerSecond === undefined ? undefined : await limitRate(app, requestsPerSecond);
  bodies.readWith(app, (bytes) => readNewPlant(parseJson(bytes)));

  app.post('/plants', {
    // In this order: first who sends it, then what; the body is read only for clients that may send one.
    onRequest: async (request, reply) => {
      const exchange = exchangeOf(request.raw);
      exchange.subject = await authenticate(request.raw.headers, tokens);
      if (limit) await limit(request);
      bodies.admit(exchange, reply);
    },
    handler: async ({ raw, body }, reply) => {
      const newPlant = body as NewPlant;
      const { span } = exchangeOf(raw);
      const result = await (span ? span.part('CreatePlant', () => createPlant(newPlant)) : createPlant(newPlant));
      if (result.outcome === 'created') return sendJson(reply, JSON.stringify(result.plant));
      throw idTaken(result.id);
    },
  });
}

export function idTaken(id: bigint): HttpError {
  const message = `id: another plant has the id ${id}; send that very plant, or choose another id`;
  return new HttpError('id-taken', message, {}, 'another plant has the id');
}
