import type { Duplex } from 'node:stream';
import type { Exchange } from './exchange.ts';

/** A client's connection: what is known of it besides what its socket knows. */
export class Connection {
  readonly socket: Duplex;
  /** The exchange that began last; the earlier ones may still be waiting for their responses. */
  latest: Exchange | undefined;
  /** The number of exchanges that have not ended. */
  unfinished = 0;
  /**
   * Whether the current request is the last one. Its response says `Connection: close`, and nothing behind it is ever
   * looked at (RFC 9112, section 9.6), because that may be part of a body that was misread.
   */
  closeAfterResponse = false;

  constructor(socket: Duplex) {
    this.socket = socket;
  }
}

const connection: unique symbol = Symbol('connection');

/** The connection of a socket, always the same one. */
export function connectionOf(socket: Duplex & { [connection]?: Connection }): Connection {
  socket[connection] ??= new Connection(socket);
  return socket[connection];
}
