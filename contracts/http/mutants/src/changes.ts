import type { IncomingMessage, OutgoingHttpHeader, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, pipeline, Transform } from 'node:stream';
import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { type ErrorKind, errorNumbers } from '@plant-store/contracts-http';
import { createPlant, type NewPlant, type Plant, type PlantRepository } from '@plant-store/domain';
import type { FastifyRequest } from 'fastify';
import type { Mutation } from './mutation.ts';

// What mutants change: first the use case, then bodies, requests, responses, and Node's server.

/** Creates plants in a later turn of the event loop, so that the parser reads on before the response. */
export const createdLater: Mutation = {
  createPlant: (create) => async (given) => {
    await turnOfTheEventLoop();
    return create(given);
  },
};

/** The plant is another one when the use case gets it. */
export function plant(rewrite: (plant: NewPlant) => NewPlant): Mutation {
  return { createPlant: (create) => (given) => create(rewrite(given)) };
}

/** The use case of the domain has a repository that does nothing but store. */
export function repository(make: (rows: Map<bigint, Plant>) => PlantRepository['add']): Mutation {
  return { createPlant: () => createPlant({ add: make(new Map()) }) };
}

/** The use case compares plants in its own way. */
export function comparison(isSame: (a: Plant, b: Plant) => boolean): Mutation {
  return {
    createPlant: () => {
      const rows = new Map<bigint, Plant>();
      return async ({ id, ...given }) => {
        const stored = rows.get(id) ?? given;
        rows.set(id, stored);
        return isSame(stored, given) ? { outcome: 'created', plant: given } : { outcome: 'id-taken', id };
      };
    },
  };
}

/** The bytes of every body, once it is complete. Fastify holds the original length against its limit and Content-Length. */
export function bytes(rewrite: (bytes: Buffer, request: FastifyRequest) => Buffer | string): Mutation {
  return {
    server: (app) =>
      void app.addHook('preParsing', async (of, _reply, stream) => {
        const pieces: Buffer[] = [];
        const rewriting: Transform & { receivedEncodedLength?: number } = new Transform({
          transform(piece: Buffer, _encoding, done) {
            pieces.push(piece);
            done();
          },
          flush(done) {
            const whole = Buffer.concat(pieces);
            rewriting.receivedEncodedLength = whole.length;
            done(null, Buffer.from(rewrite(whole, of)));
          },
        });
        return pipeline(stream, rewriting, () => {});
      }),
  };
}

/** The text of every body that is UTF-8. */
export function text(rewrite: (text: string) => string): Mutation {
  return bytes((given) => (given.equals(Buffer.from(given.toString())) ? rewrite(given.toString()) : given));
}

/** Every parsed body, before it is checked. */
export function body(rewrite: (body: unknown, text: string) => unknown): Mutation {
  const texts = new WeakMap<FastifyRequest, string>();
  const remembering = bytes((given, of) => {
    texts.set(of, given.toString());
    return given;
  });
  return {
    server: (app) => {
      remembering.server?.(app);
      app.addHook('preValidation', async (of) => {
        of.body = rewrite(of.body, texts.get(of) ?? '');
      });
    },
  };
}

/** Members of a parsed body, whose `id` is a bigint if it is an integer. */
export type Members = { [name: string]: unknown };

/** Those of every parsed body that is an object; if the result is not an object, it is refused. */
export function members(rewrite: (members: Members, text: string) => unknown): Mutation {
  return body((value, written) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? rewrite(value as Members, written) : value,
  );
}

/** The number at the first `"id"` in a JSON text, as it is written. */
export function idLiteral(json: string): string | undefined {
  return /"id"\s*:\s*(-?\d[\d.eE+-]*)/.exec(json)?.[1];
}

/** Every request, with an expectation or without, before the service reads it. */
export function request(rewrite: RequestListener): Mutation {
  const events = ['request', 'checkContinue', 'checkExpectation'] as const;
  return server((http) => events.forEach((event) => void http.prependListener(event, rewrite)));
}

/** One header of every request; undefined removes it. */
export function header(
  name: string,
  rewrite: (value: string | undefined, request: IncomingMessage) => string | undefined,
): Mutation {
  return request((of) => {
    const value = rewrite(of.headers[name] as string | undefined, of);
    if (value === undefined) delete of.headers[name];
    else of.headers[name] = value;
  });
}

/** The target of every request. */
export function target(rewrite: (target: string) => string): Mutation {
  return request((of) => {
    of.url = rewrite(of.url ?? '');
  });
}

/** Of several headers of the same name only the first is seen. */
export function firstOnly(name: string): Mutation {
  return request(({ headers, rawHeaders }) => {
    const isHeader = (at: number) => at % 2 === 0 && rawHeaders[at]?.toLowerCase() === name;
    const [first, ...others] = [...rawHeaders.keys()].filter(isHeader);
    if (first === undefined) return;
    headers[name] = rawHeaders[first + 1];
    for (const at of others.reverse()) rawHeaders.splice(at, 2);
  });
}

/** A response before it is sent. */
export interface Outgoing {
  readonly status: number;
  readonly headers: Readonly<Record<string, OutgoingHttpHeader | undefined>>;
  readonly body: string;
}

/** What is changed: of the headers, those that it names; undefined takes one away. */
type Rewrite = (outgoing: Outgoing, request: IncomingMessage) => Partial<Outgoing>;

/** Every response of Fastify, but not those to parser errors. */
export function response(rewrite: Rewrite): Mutation {
  return {
    server: (app) =>
      void app.addHook('onSend', async ({ raw }, reply, payload) => {
        const outgoing = { status: reply.statusCode, headers: reply.getHeaders(), body: String(payload ?? '') };
        const changed = rewrite(outgoing, raw);
        reply.code(changed.status ?? outgoing.status);
        for (const [name, value] of Object.entries(changed.headers ?? {}))
          if (value === undefined) reply.removeHeader(name);
          else reply.header(name, value);
        return changed.body === undefined ? payload : changed.body;
      }),
  };
}

/** The plant in the responses to a created one, and their status. */
export function created(rewrite: (plant: Members) => Members, status = 200): Mutation {
  return response((outgoing, { method }) => {
    if (outgoing.status !== 200 || method !== 'POST') return {};
    return { status, body: JSON.stringify(rewrite(JSON.parse(outgoing.body))) };
  });
}

/** The responses with an Error record of this kind, or of any. */
export function error(
  kind: ErrorKind | 'any',
  rewrite: (record: { error: number; message: string }, ...given: Parameters<Rewrite>) => Partial<Outgoing>,
): Mutation {
  return response((outgoing, of) => {
    if (outgoing.status < 400) return {};
    const record = JSON.parse(outgoing.body);
    return kind === 'any' || errorNumbers[kind] === record.error ? rewrite(record, outgoing, of) : {};
  });
}

/** The headers of those responses; undefined takes one away. */
export function errorHeaders(kind: ErrorKind | 'any', headers: Outgoing['headers']): Mutation {
  return error(kind, () => ({ headers }));
}

/** The message in those records. */
export function errorMessage(kind: ErrorKind, write: (message: string, request: IncomingMessage) => string): Mutation {
  return error(kind, (record, _outgoing, of) => ({
    body: JSON.stringify({ ...record, message: write(record.message, of) }),
  }));
}

/** Node's server. */
export function server(rewrite: (server: Server) => void): Mutation {
  return { server: (app) => rewrite(app.server) };
}

type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/**
 * The response to parser errors.
 * @param respond returns true if it has responded; otherwise the correct listener does.
 */
export function parserError(respond: (error: ParserError, socket: Socket) => boolean): Mutation {
  return server((http) => {
    const correct = http.listeners('clientError');
    http.removeAllListeners('clientError').on('clientError', (fault, socket) => {
      if (!respond(fault, socket as Socket)) for (const listener of correct) listener.call(http, fault, socket);
    });
  });
}

/** Ends a connection with a response that is written by hand. */
export function endWith(socket: Duplex, status: number, record = malformed): true {
  if (socket.writable) socket.end(responseOf(status, record, 'connection: close'));
  return true;
}

/** A response that is written by hand. */
export function responseOf(status: number, record = malformed, more = 'x: y'): string {
  const headers = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(record)}\r\n${more}`;
  return `HTTP/1.1 ${status} Because\r\n${headers}\r\n\r\n${record}`;
}

/** The Error record for parser errors. */
const malformed = JSON.stringify({ error: 40006, message: 'the request is not well-formed HTTP' });
