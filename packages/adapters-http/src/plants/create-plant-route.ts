import type { CreatePlant, NewPlant, TokenVerifier } from '@plant-store/domain';
import {
  bodyThatIsHere,
  type Exchange,
  exchangeOf,
  type OnReceived,
  readBody,
  sendJson,
  spreadOverTurns,
} from '@plant-store/http-edge';
import { parseJson, readNewPlant } from '@plant-store/plant-json';
import type { FastifyInstance } from 'fastify';
import { bodyTooLarge, HttpError } from '../errors/http-error.ts';
import type { BodyLimit } from '../limits/bodies.ts';
import type { RequestLimit } from '../limits/requests.ts';
import { authenticate } from './authenticate.ts';
import { requireJson } from './body/media-type.ts';
import { limitRate } from './rate-limit.ts';

/** What the route is made of. */
export interface PlantsRouteOptions {
  readonly createPlant: CreatePlant;
  readonly tokens: TokenVerifier;
  readonly requestsPerSecond?: number | undefined;
  /** The largest body, in bytes. */
  readonly bodyLimit: number;
  readonly bodies: BodyLimit;
  readonly requests: RequestLimit;
}

/** `POST /plants`, the one operation. */
export async function plantsRoute(
  app: FastifyInstance,
  { createPlant, tokens, requestsPerSecond, bodyLimit, bodies, requests }: PlantsRouteOptions,
): Promise<void> {
  const limit = requestsPerSecond === undefined ? undefined : await limitRate(app, requestsPerSecond);
  const inTurn = spreadOverTurns();
  app.removeAllContentTypeParsers();
  // For this type by name: which parser takes any type, Fastify would find out for each request. And with a callback,
  // which costs less than a promise: a twelfth of the cost of a request.
  app.addContentTypeParser('application/json', ({ raw }, payload, done) => {
    const exchange = exchangeOf(raw);
    // Its client has gone away while the token was checked, and its place is somebody else's by now.
    if (!exchange.isOpen) return;
    const body = bodyThatIsHere(raw, payload);
    if (body) {
      parse(exchange, body, done);
      return;
    }
    // Clients that do not send their bodies must not keep others out.
    requests.release(exchange);
    const { 'content-length': length } = raw.headers;
    const onReceived: OnReceived = (bytes, memory, refuse) => {
      if (bytes > bodyLimit) throw bodyTooLarge();
      bodies.hold(exchange, memory, refuse);
    };
    readBody(payload, Number(length ?? bodyLimit), onReceived, (error, whole) => {
      bodies.arrived(exchange);
      try {
        if (!whole) throw error;
        requests.admitAgain(exchange);
      } catch (refusal) {
        done(refusal as Error);
        return;
      }
      parse(exchange, whole, done);
    });
  });

  /** Reads the NewPlant in this step: what JSON.parse makes of a body may be twenty times as large as it. */
  function parse(exchange: Exchange, bytes: Buffer, done: (error: Error | null, newPlant?: NewPlant) => void): void {
    inTurn(bytes.length, () => {
      // Its client has gone away in the meantime.
      if (!exchange.isOpen) return;
      let newPlant: NewPlant;
      try {
        newPlant = readNewPlant(parseJson(bytes));
      } catch (error) {
        done(error as Error);
        return;
      }
      // Outside of the try block: what is thrown from here on has its own handlers.
      done(null, newPlant);
    });
  }

  app.post('/plants', {
    // In this order: first who sends it, then what; the body is read only for clients that may send one.
    onRequest: async (request, reply) => {
      const { raw } = request;
      const exchange = exchangeOf(raw);
      exchange.subject = await authenticate(raw.headers, tokens);
      if (limit) await limit(request);
      requireJson(raw.headers);
      const contentLength = Number(raw.headers['content-length'] ?? 0);
      if (contentLength > bodyLimit) throw bodyTooLarge();
      bodies.reserve(exchange, contentLength);
      // Clients that speak HTTP/1.0 know no interim responses (RFC 9110, section 10.1.1).
      if (raw.headers.expect !== undefined && raw.httpVersion === '1.1') reply.raw.writeContinue();
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
