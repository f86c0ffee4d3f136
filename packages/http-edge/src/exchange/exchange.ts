import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ListMember } from './ordered-list.ts';
import { requestIdFrom } from './request-id.ts';
import type { RequestSpan } from './trace-context.ts';

/** What a server does at the stages of every exchange. */
export interface ExchangeLifecycle {
  opened(exchange: Exchange): void;
  /** The response is complete; the client has to read it. Skipped if the connection is closed before that. */
  responded(exchange: Exchange): void;
  /** The client has read the response, or the connection is gone. */
  closed(exchange: Exchange): void;
}

/** What a request counts as. */
export type Place = 'operations' | 'documents';

/** A request and its response: all that is known of them, from the head of the request until the response was read. */
export class Exchange extends ListMember {
  readonly request: IncomingMessage;
  readonly connection: Connection;
  /** The ID in the log and in `X-Request-Id`. */
  readonly requestId: string;
  /** Undefined until the exchange is opened; CONNECT never has one. */
  response: ServerResponse | undefined;
  /** When its response was complete, by `performance.now()`. */
  respondedAt: number | undefined;

  // What each part of the edge keeps of it. An object for each part would cost every request an allocation.

  /** `limits/requests`: what it counts as while it is in flight, which is until its response is complete. */
  place: Place | undefined;
  /** `limits/bodies`: the bytes that are reserved for its body. */
  bodyBytes = 0;
  /** `limits/bodies`: ends the reading of its body, to make room for others. */
  refuseBody: ((error: Error) => void) | undefined;
  /** `telemetry`: when a hook first saw it, by `performance.now()`. */
  receivedAt: number | undefined;
  /** `telemetry`: the path of the route that took it; undefined if there is none for it. */
  route: string | undefined;
  /** `telemetry`: the service's part in its trace; undefined if it is not traced. */
  span: RequestSpan | undefined;
  /** `errors`: the number of its Error record, if it failed. */
  errorNumber: number | undefined;
  /** `errors`: why it failed, for the log only. The response often says less. */
  failureReason: string | undefined;
  /** `errors`: called once it is closed, after everything else, by what was waiting for its turn on the connection. */
  afterClose: (() => void) | undefined;
  #lifecycle: ExchangeLifecycle | undefined;

  constructor(request: IncomingMessage) {
    super();
    this.request = request;
    this.connection = connectionOf(request.socket);
    this.requestId = requestIdFrom(request.headers);
  }

  /** Begins its lifecycle; only the first call does. */
  open(response: ServerResponse, lifecycle: ExchangeLifecycle): void {
    if (this.response) return;
    this.response = response;
    this.#lifecycle = lifecycle;
    this.connection.latest = this;
    this.connection.unfinished += 1;
    response.on('close', closeExchange);
    lifecycle.opened(this);
  }

  get isOpen(): boolean {
    return this.#lifecycle !== undefined;
  }

  /** Whether the client has its whole response. */
  get isRead(): boolean {
    const { response, connection } = this;
    if (!response) return false;
    // Fastify's `inject`, which has no socket, closes a response before it counts as finished.
    return response.writableFinished || (response.writableEnded && connection.socket.destroyed === undefined);
  }

  /** Says that the response is complete; only the first call counts, and only while the connection is open. */
  responded(): void {
    if (!this.#lifecycle || this.respondedAt !== undefined) return;
    this.respondedAt = performance.now();
    this.#lifecycle.responded(this);
  }

  close(): void {
    const lifecycle = this.#lifecycle;
    this.#lifecycle = undefined;
    this.connection.unfinished -= 1;
    try {
      lifecycle?.closed(this);
    } finally {
      this.afterClose?.();
      if (this.request.complete) this.#leave();
      // The parser may still report an error of its body.
      else this.request.once('close', () => this.#leave());
    }
  }

  /**
   * An idle connection keeps nothing of its last exchange: what is still there at the next collections would be copied, and
   * move to the old generation.
   */
  #leave(): void {
    if (this.connection.latest === this) this.connection.latest = undefined;
  }

  /**
   * The path of the request, without its query, which may hold anything, and without the authority of a target in
   * absolute form (RFC 9112 section 3.2.2), which may hold a password.
   */
  get path(): string {
    const { url = '' } = this.request;
    const query = url.indexOf('?');
    const target = query < 0 ? url : url.slice(0, query);
    if (target.startsWith('/')) return target;
    return target.replace(/^[^/]*:\/\/[^/]*/, '') || '/';
  }
}

/** One function for all responses: a closure for each would cost more. */
function closeExchange(this: ServerResponse): void {
  exchangeOf(this.req).close();
}

const exchange: unique symbol = Symbol('exchange');

/** The exchange of a request, always the same one. */
export function exchangeOf(request: IncomingMessage & { [exchange]?: Exchange }): Exchange {
  request[exchange] ??= new Exchange(request);
  return request[exchange];
}

/** A client's connection: what is known of it besides what its socket knows. */
export class Connection extends ListMember {
  readonly socket: Duplex;
  /**
   * The exchange that began last, until it is closed and its request complete; the earlier ones may still be waiting for
   * their responses.
   */
  latest: Exchange | undefined;
  /** The number of exchanges that have not ended. */
  unfinished = 0;
  /**
   * Whether the current request is the last one. Its response says `Connection: close`, and nothing behind it is ever
   * looked at (RFC 9112, section 9.6), because that may be part of a body that was misread.
   */
  closeAfterResponse = false;
  /** Whether errors of the HTTP parser are ignored: one was answered, which comes again with every further segment, or the last request is over. */
  isRefused = false;
  /** Why the service closed it although responses were not read, for the log; undefined if the client did, or nobody. */
  cutOffBecause: string | undefined;

  constructor(socket: Duplex) {
    super();
    this.socket = socket;
  }
}

const connection: unique symbol = Symbol('connection');

/** The connection of a socket, always the same one. */
export function connectionOf(socket: Duplex & { [connection]?: Connection }): Connection {
  socket[connection] ??= new Connection(socket);
  return socket[connection];
}
