import type { ServerResponse } from 'node:http';
import type { CreatePlant, TokenVerifier } from '@plant-store/domain';
import type { FastifyInstance } from 'fastify';
import { RequestFailure } from '../errors/http-error.ts';
import { countReceived } from '../limits/count-received.ts';
import { sendJson } from '../reply/json.ts';
import { authenticate } from './bearer.ts';
import { parseJsonBody } from './body/json-body.ts';
import { requireJson } from './media-type.ts';
import { limitRate } from './rate-limit.ts';
import { readNewPlant } from './records.ts';

/** What the route is made of. */
export interface PlantsRouteOptions {
  readonly createPlant: CreatePlant;
  readonly tokens: TokenVerifier;
  readonly requestsPerSecond?: number;
  /** The largest body, in bytes. */
  readonly bodyLimit: number;
  /** See `ExchangeLimits`. */
  readonly holdBody: (response: ServerResponse, bytes: number) => void;
}

/** `POST /plants`, the one operation. */
export async function plantsRoute(
  app: FastifyInstance,
  { createPlant, tokens, requestsPerSecond, bodyLimit, holdBody }: PlantsRouteOptions,
): Promise<void> {
  const limit = requestsPerSecond === undefined ? undefined : await limitRate(app, requestsPerSecond);
  app.removeAllContentTypeParsers();
  // With a callback, which costs less than a promise: a twelfth of all that a request costs.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => parsed(bytes as Buffer, done));

  app.post('/plants', {
    // In this order: who asks, then what; the body is read only for those who may send one.
    onRequest: async (request, reply) => {
      const { raw } = request;
      const subject = await authenticate(raw.headers, tokens);
      if (limit) await limit(request, subject);
      requireJson(raw.headers);
      const announced = Number(raw.headers['content-length'] ?? 0);
      // One that is too large is refused as that, and not read.
      if (announced <= bodyLimit) holdBody(reply.raw, announced);
      // Whoever speaks HTTP/1.0 knows no interim answers (RFC 9110, section 10.1.1).
      if (raw.headers.expect !== undefined && raw.httpVersion === '1.1') reply.raw.writeContinue();
    },
    preParsing: (request, reply, payload, done) => {
      const { raw } = request;
      if (raw.headers['transfer-encoding'] !== undefined)
        countReceived(raw, bodyLimit, (bytes) => holdBody(reply.raw, bytes));
      done(null, payload);
    },
    handler: async (request, reply) => {
      const newPlant = readNewPlant(request.body);
      const { span } = request;
      const result = await (span ? span.part('CreatePlant', () => createPlant(newPlant)) : createPlant(newPlant));
      if (result.outcome === 'id-taken') {
        throw new RequestFailure(
          'id-taken',
          `id: another plant has the id ${result.id}; send that very plant, or choose another id`,
        );
      }
      return sendJson(reply, JSON.stringify(result.plant));
    },
  });
}

function parsed(bytes: Buffer, done: (error: Error | null, body?: unknown) => void): void {
  let body: unknown;
  try {
    body = parseJsonBody(bytes);
  } catch (error) {
    done(error as Error);
    return;
  }
  // Outside of the try block: what is thrown from here on has its own handlers.
  done(null, body);
}
