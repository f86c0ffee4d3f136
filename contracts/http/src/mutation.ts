import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, OutgoingHttpHeader, RequestListener, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  makeCreatePlant,
  type NewPlant,
  type Plant,
  type PlantRepository,
  type TokenVerifier,
  type UseCases,
  type ValidNewPlant,
} from '@plant-store/domain';
import type { DeployedService } from './deployed-service.ts';
import { type ErrorNameOrNumber, toNumber } from './error-numbers.ts';

/**
 * What a mutant changes of a correct service. It names no framework, so that it can stand beside its clause. `contracts/http/mutants`
 * applies it to the service of adapters-http.
 */
export interface HttpMutation {
  /** Replaces use cases. */
  readonly useCases?: (correct: UseCases) => Partial<UseCases>;
  /** Replaces the token verifier. */
  readonly tokens?: (correct: TokenVerifier) => TokenVerifier;
  readonly options?: {
    readonly bodyLimit?: number;
  };
  /** Changes Node's server before it listens. */
  readonly server?: (server: Server) => void;
  /** Rewrites the incoming bytes of a connection, a character each, as a proxy in front would. */
  readonly incoming?: (bytes: string) => string;
  /** Rewrites the bytes of every body. The service still compares the original length with its limit and Content-Length. */
  readonly bytes?: (bytes: Buffer) => Buffer | string;
  /** Rewrites every parsed body before it is validated. `id` is a bigint if it is an integer. */
  readonly body?: (body: unknown) => unknown;
  /** Rewrites every response. */
  readonly response?: RewriteResponse;
  /** Whether the contract's fixed ids are taken by other plants. */
  readonly idsTaken?: boolean;
  /** Properties of the service that the contract is given. */
  readonly given?: Partial<DeployedService>;
}

/** Returns the changes to a response. A header that is undefined is removed. */
type RewriteResponse = (outgoing: Outgoing, request: IncomingMessage) => Partial<Outgoing>;

/** A response before it is sent. */
export interface Outgoing {
  readonly status: number;
  readonly headers: Readonly<Record<string, OutgoingHttpHeader | undefined>>;
  /** A text, or a value that is sent as JSON. */
  readonly body: unknown;
}

/** The tokens that the service of the mutants accepts. */
export const token = 'correct.Horse-battery_Staple';
export const otherToken = 'another~Token/with+Signs==';

// Makers of mutations: of use cases, then of bodies, requests and responses.

/** Rewrites the plant that the use case gets. */
export function plant(rewrite: (plant: NewPlant) => NewPlant): HttpMutation {
  return { useCases: ({ createPlant }) => ({ createPlant: (given) => createPlant(rewrite(given) as ValidNewPlant) }) };
}

/** Replaces how the domain's use case adds a plant to rows. */
export function repository(
  add: (rows: Map<bigint, Plant>, id: bigint, plant: Plant) => ReturnType<PlantRepository['add']>,
): HttpMutation {
  const rows = new Map<bigint, Plant>();
  // The use case calls no other method.
  const plants = { add: ({ id, ...plant }) => add(rows, id, plant) } as PlantRepository;
  return { useCases: () => ({ createPlant: makeCreatePlant(plants) }) };
}

/** Replaces how a plant is compared with the stored one. */
export function comparison(isSame: (a: Plant, b: Plant) => boolean): HttpMutation {
  return repository(async (rows, id, given) => {
    const stored = rows.get(id) ?? given;
    rows.set(id, stored);
    return { outcome: 'exists', plant: isSame(stored, given) ? given : { name: `not ${given.name}` } };
  });
}

/** Rewrites the text of every body in UTF-8. */
export function text(rewrite: (text: string) => string): HttpMutation {
  return { bytes: (given) => (isUtf8(given) ? rewrite(String(given)) : given) };
}

/** Rewrites the literal of every `"id"` in a body that is a number. */
export function idLiteral(rewrite: (literal: string) => string): HttpMutation {
  return text((json) => json.replace(/(?<="id"\s*:\s*)-?\d[\d.eE+-]*/g, rewrite));
}

/** The members of a parsed body. `id` is a bigint if it is an integer. */
export type Members = { [name: string]: unknown };

/** Rewrites the members of every parsed body that is an object. Anything but an object is then rejected. */
export function members(rewrite: (members: Members) => unknown): HttpMutation {
  return { body: (value) => (Object(value) === value && !Array.isArray(value) ? rewrite(value as Members) : value) };
}

/** Calls a listener for every request before the service does, including requests with an expectation. */
export function request(rewrite: RequestListener): HttpMutation {
  const events = ['request', 'checkContinue', 'checkExpectation'] as const;
  return { server: (http) => events.forEach((event) => void http.prependListener(event, rewrite)) };
}

/** Responds with this status, and an Error record, to what Node's parser rejects. */
export function parserError(status: number, after = (socket: Duplex) => socket.end()): HttpMutation {
  const record = '{"error":40006,"message":"the request is not well-formed HTTP"}';
  const head = `HTTP/1.1 ${status} Because\r\ncontent-type: application/json\r\ncontent-length: ${record.length}`;
  return {
    server(http) {
      http.removeAllListeners('clientError').on('clientError', (_error, socket) => {
        socket.write(`${head}\r\n\r\n${record}`);
        after(socket);
      });
    },
  };
}

/** Rewrites a header of every request; undefined removes it. */
export function header(
  name: string,
  rewrite: (value: string | undefined, request: IncomingMessage) => string | undefined,
): HttpMutation {
  return request((of) => {
    const value = rewrite(of.headers[name] as string | undefined, of);
    if (value === undefined) delete of.headers[name];
    else of.headers[name] = value;
  });
}

/** Replaces the first match in a header of every request. */
export function inHeader(name: string, pattern: string | RegExp, replacement: string): HttpMutation {
  return header(name, (value) => value?.replace(pattern, replacement));
}

/** Replaces the first match in incoming bytes. */
export function incoming(pattern: string | RegExp, replacement: string): HttpMutation {
  return { incoming: (bytes) => bytes.replace(pattern, replacement) };
}

/** Rewrites the target of every request. */
export function target(rewrite: (target: string) => string): HttpMutation {
  return request((of) => {
    of.url = rewrite(of.url ?? '');
  });
}

/** Rewrites the plant, the status and headers of every response with a plant. */
export function created(rewrite: (plant: Members) => Members, status = 200, headers = {}): HttpMutation {
  return {
    response(outgoing, { method }) {
      if (outgoing.status !== 200 || method !== 'POST') return {};
      return { status, headers, body: rewrite(JSON.parse(String(outgoing.body))) };
    },
  };
}

/** Rewrites the responses with an Error record of a kind, or of any kind. */
export function error(kind: ErrorNameOrNumber | 'any', rewrite: RewriteResponse): HttpMutation {
  return {
    response(outgoing, of) {
      const isOfKind = kind === 'any' ? outgoing.status >= 400 : String(outgoing.body).includes(`:${toNumber(kind)},`);
      return isOfKind ? rewrite(outgoing, of) : {};
    },
  };
}

/** Rewrites headers of responses with an Error record; undefined removes one. */
export function errorHeaders(kind: ErrorNameOrNumber | 'any', headers: Outgoing['headers']): HttpMutation {
  return error(kind, () => ({ headers }));
}

/** Rewrites members of the record in responses with an Error record. */
export function record(
  kind: ErrorNameOrNumber | 'any',
  rewrite: (record: { error: number; message: string }, request: IncomingMessage) => Members,
): HttpMutation {
  return error(kind, ({ body: sent }, of) => {
    const given = JSON.parse(String(sent));
    return { body: { ...given, ...rewrite(given, of) } };
  });
}

/** The description has this value at this path of names; undefined removes it. */
export function describing(place: string, value: unknown): HttpMutation {
  return publishing(({ body }, { method }) => {
    if (method !== 'GET') return {};
    const document = JSON.parse(String(body));
    const names = place.split(' > ');
    const last = names.pop() ?? '';
    names.reduce((object, name) => (object[name] ??= {}), document)[last] = value;
    return { body: document };
  });
}

/** Changes the responses to requests for the description. */
export function publishing(rewrite: RewriteResponse): HttpMutation {
  return {
    response: (outgoing, request) => (request.url === '/openapi.json' ? rewrite(outgoing, request) : {}),
  };
}

/** A number as JavaScript reads it, an integer with all of its digits. */
export function rounded(literal: string): string {
  const value = Number(literal);
  return Number.isInteger(value) ? String(BigInt(value)) : literal;
}
