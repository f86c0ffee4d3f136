import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type ErrorKind, errorNumbers } from '@plant-store/contracts-http';
import type { Mutation } from '../mutation.ts';

/** An answer before it goes out. */
export interface Outgoing {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

type Rewrite = (answer: Outgoing, request: IncomingMessage) => Partial<Outgoing>;

/** Changes every answer that a request gets; those that the HTTP parser gets for itself are in parser-errors.ts. */
export function rewriteAnswer(rewrite: Rewrite): Mutation {
  return {
    server: ({ server }) =>
      void server.prependListener('request', (request, response) => rewriteOn(response, request, rewrite)),
  };
}

/** Changes the answers to a plant that was created. */
export function rewriteCreated(rewrite: (answer: Outgoing) => Partial<Outgoing>): Mutation {
  return rewriteAnswer((answer, { method }) => (answer.status === 200 && method === 'POST' ? rewrite(answer) : {}));
}

/** Changes the plant in those answers. */
export function rewritePlant(rewrite: (plant: Record<string, unknown>) => Record<string, unknown>): Mutation {
  return rewriteCreated(({ body }) => ({ body: JSON.stringify(rewrite(JSON.parse(body))) }));
}

/** Changes the answers with an Error record of these kinds, or of any. */
export function rewriteError(
  kinds: readonly ErrorKind[] | 'any',
  rewrite: (
    record: { readonly error: number; readonly message: string },
    answer: Outgoing,
    request: IncomingMessage,
  ) => Partial<Outgoing>,
): Mutation {
  return rewriteAnswer((answer, request) => {
    if (answer.status < 400) return {};
    const record = JSON.parse(answer.body);
    const concerned = kinds === 'any' || kinds.some((kind) => errorNumbers[kind] === record.error);
    return concerned ? rewrite(record, answer, request) : {};
  });
}

/** Answers these kinds with another status. */
export function errorStatus(kinds: readonly ErrorKind[], status: number): Mutation {
  return rewriteError(kinds, () => ({ status }));
}

/** Puts another message into the Error records of these kinds. */
export function errorMessage(
  kinds: readonly ErrorKind[],
  write: (message: string, request: IncomingMessage) => string,
): Mutation {
  return rewriteError(kinds, ({ error, message }, _answer, request) => ({
    body: JSON.stringify({ error, message: write(message, request) }),
  }));
}

/** Every answer is a head and then one piece of body with its length declared, so the first piece is all there is. */
function rewriteOn(response: ServerResponse, request: IncomingMessage, rewrite: Rewrite): void {
  const { writeHead, write, end } = response;
  let held: { readonly status: number; readonly headers: OutgoingHttpHeaders } | undefined;

  function release(piece: unknown): string | undefined {
    if (!held) return undefined;
    const answer = { ...held, body: String(piece ?? '') };
    held = undefined;
    const { status, headers, body } = { ...answer, ...rewrite(answer, request) };
    const length = body === answer.body ? {} : { 'content-length': Buffer.byteLength(body) };
    const present = Object.entries({ ...headers, ...length }).filter(([, value]) => value !== undefined);
    writeHead.call(response, status, Object.fromEntries(present));
    return body;
  }

  Object.assign(response, {
    writeHead(status: number, headers: OutgoingHttpHeaders) {
      held = { status, headers };
      return response;
    },
    write: (piece: unknown) => Reflect.apply(write, response, [release(piece) ?? piece]),
    end: (piece: unknown) => Reflect.apply(end, response, [release(piece) ?? piece]),
  });
}
