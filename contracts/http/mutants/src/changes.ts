import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, OutgoingHttpHeader, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { type ErrorKind, errorNumbers } from '@plant-store/contracts-http';
import { createPlant, type NewPlant, type Plant, type PlantRepository } from '@plant-store/domain';
import type { Mutation } from './mutation.ts';

// Changes to the service that make mutants: of the use case, then of bodies, requests, responses and parser errors.

/** Creates plants in a later turn of the event loop, so that the parser reads on before the response. */
export const createdLater: Mutation = {
  createPlant: (create) => async (given) => {
    await turnOfTheEventLoop();
    return create(given);
  },
};

/** Rewrites the plant that the use case gets. */
export function plant(rewrite: (plant: NewPlant) => NewPlant): Mutation {
  return { createPlant: (create) => (given) => create(rewrite(given)) };
}

/** Replaces how the domain's use case adds a plant to rows. */
export function repository(
  add: (rows: Map<bigint, Plant>, id: bigint, plant: Plant) => ReturnType<PlantRepository['add']>,
): Mutation {
  const rows = new Map<bigint, Plant>();
  return { createPlant: () => createPlant({ add: ({ id, ...plant }) => add(rows, id, plant) }) };
}

/** Replaces how a plant is compared with the stored one. */
export function comparison(isSame: (a: Plant, b: Plant) => boolean): Mutation {
  return repository(async (rows, id, given) => {
    const stored = rows.get(id) ?? given;
    rows.set(id, stored);
    return { outcome: 'exists', plant: isSame(stored, given) ? given : { name: `not ${given.name}` } };
  });
}

/** Rewrites the bytes of every body. Fastify still compares the original length with its limit and Content-Length. */
export function bytes(rewrite: (bytes: Buffer) => Buffer | string): Mutation {
  return {
    server: (app) =>
      void app.addHook('preParsing', async (_request, _reply, stream) => {
        const rewritten = Object.assign(Readable.from(read()), { receivedEncodedLength: 0 });
        return rewritten;
        async function* read() {
          // Piped, because the service sends 100 Continue when the request starts to flow.
          const whole = await buffer(stream.pipe(new PassThrough()));
          rewritten.receivedEncodedLength = whole.length;
          yield Buffer.from(rewrite(whole));
        }
      }),
  };
}

/** Rewrites the text of every body in UTF-8. */
export function text(rewrite: (text: string) => string): Mutation {
  return bytes((given) => (isUtf8(given) ? rewrite(String(given)) : given));
}

/** Rewrites the literal of every `"id"` in a body that is a number. */
export function idLiteral(rewrite: (literal: string) => string): Mutation {
  return text((json) => json.replace(/(?<="id"\s*:\s*)-?\d[\d.eE+-]*/g, rewrite));
}

/** Rewrites every parsed body before it is validated. */
export function body(rewrite: (body: unknown) => unknown): Mutation {
  return {
    server: (app) =>
      void app.addHook('preValidation', async (of) => {
        of.body = rewrite(of.body);
      }),
  };
}

/** The members of a parsed body. `id` is a bigint if it is an integer. */
export type Members = { [name: string]: unknown };

/** Rewrites the members of every parsed body that is an object. Anything but an object is then rejected. */
export function members(rewrite: (members: Members) => unknown): Mutation {
  return body((value) => (Object(value) === value && !Array.isArray(value) ? rewrite(value as Members) : value));
}

/** Calls a listener for every request before the service does, including requests with an expectation. */
export function request(rewrite: RequestListener): Mutation {
  const events = ['request', 'checkContinue', 'checkExpectation'] as const;
  return server((http) => events.forEach((event) => void http.prependListener(event, rewrite)));
}

/** Rewrites a header of every request; undefined removes it. */
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

/** Replaces the first match in a header of every request. */
export function inHeader(name: string, pattern: string | RegExp, replacement: string): Mutation {
  return header(name, (value) => value?.replace(pattern, replacement));
}

/** Replaces the first match in incoming bytes, a character each, by a proxy. */
export function incoming(pattern: string | RegExp, replacement: string): Mutation {
  return { incoming: (bytes) => bytes.replace(pattern, replacement) };
}

/** Rewrites the target of every request. */
export function target(rewrite: (target: string) => string): Mutation {
  return request((of) => {
    of.url = rewrite(of.url ?? '');
  });
}

/** A response before it is sent. */
export interface Outgoing {
  readonly status: number;
  readonly headers: Readonly<Record<string, OutgoingHttpHeader | undefined>>;
  /** A text, or a value that is sent as JSON. */
  readonly body: unknown;
}

/** Returns the changes to a response. A header that is undefined is removed. */
type Rewrite = (outgoing: Outgoing, request: IncomingMessage) => Partial<Outgoing>;

/** Rewrites every response of Fastify, which does not include responses to parser errors. */
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
        const { body: sent = payload } = changed;
        return sent === payload || typeof sent === 'string' ? sent : JSON.stringify(sent);
      }),
  };
}

/** Rewrites the plant, the status and headers of every response with a plant. */
export function created(rewrite: (plant: Members) => Members, status = 200, headers = {}): Mutation {
  return response((outgoing, { method }) => {
    if (outgoing.status !== 200 || method !== 'POST') return {};
    return { status, headers, body: rewrite(JSON.parse(String(outgoing.body))) };
  });
}

/** Rewrites the responses with an Error record of a kind, or of any kind. */
export function error(kind: ErrorKind | 'any', rewrite: Rewrite): Mutation {
  return response((outgoing, of) => {
    const isOfKind =
      kind === 'any' ? outgoing.status >= 400 : String(outgoing.body).includes(`:${errorNumbers[kind]},`);
    return isOfKind ? rewrite(outgoing, of) : {};
  });
}

/** Rewrites headers of responses with an Error record; undefined removes one. */
export function errorHeaders(kind: ErrorKind | 'any', headers: Outgoing['headers']): Mutation {
  return error(kind, () => ({ headers }));
}

/** Rewrites members of the record in responses with an Error record. */
export function record(
  kind: ErrorKind | 'any',
  rewrite: (record: { error: number; message: string }, request: IncomingMessage) => Members,
): Mutation {
  return error(kind, ({ body: sent }, of) => {
    const given = JSON.parse(String(sent));
    return { body: { ...given, ...rewrite(given, of) } };
  });
}

/** Changes Node's server. */
export function server(rewrite: (server: Server) => void): Mutation {
  return { server: (app) => rewrite(app.server) };
}

type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** Replaces the response to some parser errors. If the status is undefined, the connection is closed without a response. */
export function parserError(
  isMeant: (error: ParserError, socket: Socket) => boolean,
  status?: number,
  record?: string,
): Mutation {
  return server((http) => {
    const correct = http.listeners('clientError');
    http.removeAllListeners('clientError').on('clientError', (error, socket) => {
      if (!isMeant(error, socket as Socket)) for (const listener of correct) listener.call(http, error, socket);
      else if (status === undefined) socket.destroy();
      else respond(socket, status, record).end();
    });
  });
}

/** Writes a response by hand, and returns the socket. */
export function respond(socket: Duplex, status: number, record = malformed): Duplex {
  const headers = `connection: close\r\ncontent-type: application/json\r\ncontent-length: ${record.length}`;
  if (socket.writable) socket.write(`HTTP/1.1 ${status} Because\r\n${headers}\r\n\r\n${record}`);
  return socket;
}

const malformed = '{"error":40006,"message":"the request is not well-formed HTTP"}';
