import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type ErrorKind, errorNumbers } from '@plant-store/contracts-http';
import type { Mutation } from '../mutation.ts';
import { rewriteRequest } from './requests.ts';

/** A response before it is sent. */
export interface Outgoing {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

/** What changes: of the headers, those that it names; undefined takes one away. */
type Rewrite = (outgoing: Outgoing, request: IncomingMessage) => Partial<Outgoing>;

/** Changes every response to a request, but not those to parser errors. */
export function rewriteResponse(rewrite: Rewrite): Mutation {
  return rewriteRequest((request, response) => rewriteOn(response, request, rewrite));
}

/** Changes the responses to a created plant. */
export function rewriteCreated(rewrite: (outgoing: Outgoing) => Partial<Outgoing>): Mutation {
  return rewriteResponse((outgoing, { method }) =>
    outgoing.status === 200 && method === 'POST' ? rewrite(outgoing) : {},
  );
}

/** Changes the plant in those responses. */
export function rewritePlant(rewrite: (plant: Record<string, unknown>) => Record<string, unknown>): Mutation {
  return rewriteCreated(({ body }) => ({ body: JSON.stringify(rewrite(JSON.parse(body))) }));
}

/** Changes the responses with an Error record of this kind, or of any. */
export function rewriteError(
  kind: ErrorKind | 'any',
  rewrite: (
    record: { readonly error: number; readonly message: string },
    outgoing: Outgoing,
    request: IncomingMessage,
  ) => Partial<Outgoing>,
): Mutation {
  return rewriteResponse((outgoing, request) => {
    if (outgoing.status < 400) return {};
    const record = JSON.parse(outgoing.body);
    return kind === 'any' || errorNumbers[kind] === record.error ? rewrite(record, outgoing, request) : {};
  });
}

/** Puts another message into the Error records of this kind. */
export function errorMessage(kind: ErrorKind, write: (message: string, request: IncomingMessage) => string): Mutation {
  return rewriteError(kind, ({ error, message }, _answer, request) => ({
    body: JSON.stringify({ error, message: write(message, request) }),
  }));
}

/** Every response is a head and then one piece of body with its length declared, so the first piece is the whole. */
function rewriteOn(response: ServerResponse, request: IncomingMessage, rewrite: Rewrite): void {
  const { writeHead, write, end } = response;
  let held: { readonly status: number; readonly headers: OutgoingHttpHeaders } | undefined;

  function release(piece: unknown): string | undefined {
    if (!held) return undefined;
    const outgoing = { ...held, body: String(piece ?? '') };
    held = undefined;
    const { headers: changed, ...others } = rewrite(outgoing, request);
    const { status, headers, body } = { ...outgoing, ...others };
    const length = body === outgoing.body ? {} : { 'content-length': Buffer.byteLength(body) };
    const present = Object.entries({ ...headers, ...changed, ...length }).filter(([, value]) => value !== undefined);
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
