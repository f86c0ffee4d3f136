import type { FastifyInstance, FastifyReply } from 'fastify';
import { bodyTooLarge } from '../errors/http-error.ts';
import { type Exchange, exchangeOf } from '../exchange/exchange.ts';
import type { BodyLimit } from '../limits/bodies.ts';
import type { RequestLimit } from '../limits/requests.ts';
import { spreadOverTurns } from '../limits/turns.ts';
import { requireJson } from './media-type.ts';
import { bodyThatIsHere, type OnReceived, readBody } from './read-body.ts';

/** The JSON bodies of a server's operations. */
export interface JsonBodies {
  /**
   * Decides by the head of a request whether its body may come, and asks for it if the client waits for that.
   *
   * @throws {HttpError} `unsupported-media-type`, `body-too-large` or `overloaded`.
   */
  readonly admit: (exchange: Exchange, reply: FastifyReply) => void;
  /**
   * Reads the bodies of the routes of this scope.
   *
   * @param read makes the operation's input of the bytes, or throws.
   */
  readonly readWith: (scope: FastifyInstance, read: (bytes: Buffer) => unknown) => void;
}

/** @param limit the largest body, in bytes. */
export function jsonBodies(limit: number, bodies: BodyLimit, requests: RequestLimit): JsonBodies {
  const inTurn = spreadOverTurns();

  return {
    admit(exchange, reply) {
      const { headers, httpVersion } = exchange.request;
      requireJson(headers);
      const contentLength = Number(headers['content-length'] ?? 0);
      if (contentLength > limit) throw bodyTooLarge();
      bodies.reserve(exchange, contentLength);
      // Clients that speak HTTP/1.0 know no interim responses (RFC 9110, section 10.1.1).
      if (headers.expect !== undefined && httpVersion === '1.1') reply.raw.writeContinue();
    },
    readWith(scope, read) {
      scope.removeAllContentTypeParsers();
      // For this type by name: which parser takes any type, Fastify would find out for each request. And with a callback,
      // which costs less than a promise: a twelfth of the cost of a request.
      scope.addContentTypeParser('application/json', ({ raw }, payload, done) => {
        const exchange = exchangeOf(raw);
        // Its client has gone away while the token was checked, and its place is somebody else's by now.
        if (!exchange.isOpen) return;
        const body = bodyThatIsHere(raw, payload);
        if (body) {
          parse(exchange, body, read, done);
          return;
        }
        // Clients that do not send their bodies must not keep others out.
        requests.release(exchange);
        const { 'content-length': length } = raw.headers;
        const onReceived: OnReceived = (bytes, memory, refuse) => {
          if (bytes > limit) throw bodyTooLarge();
          bodies.hold(exchange, memory, refuse);
        };
        readBody(payload, Number(length ?? limit), onReceived, (error, whole) => {
          bodies.arrived(exchange);
          try {
            if (!whole) throw error;
            requests.admitAgain(exchange);
          } catch (refusal) {
            done(refusal as Error);
            return;
          }
          parse(exchange, whole, read, done);
        });
      });
    },
  };

  /** Reads the record in this step: what JSON.parse makes of a body may be twenty times as large as it. */
  function parse(
    exchange: Exchange,
    bytes: Buffer,
    read: (bytes: Buffer) => unknown,
    done: (error: Error | null, record?: unknown) => void,
  ): void {
    inTurn(bytes.length, () => {
      // Its client has gone away in the meantime.
      if (!exchange.isOpen) return;
      let record: unknown;
      try {
        record = read(bytes);
      } catch (error) {
        done(error as Error);
        return;
      }
      // Outside of the try block: what is thrown from here on has its own handlers.
      done(null, record);
    });
  }
}
