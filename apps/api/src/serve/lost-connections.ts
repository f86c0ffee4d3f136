import type { SendHandle } from 'node:child_process';
import type { Worker } from 'node:cluster';

/**
 * In the primary: when a worker exits, closes the connections that were handed to it and that it never acknowledged. Node
 * keeps the primary's end of them open forever, so that their clients would get neither a response nor a close.
 *
 * Node has no API for this. The messages are those of its `lib/internal/cluster`: a connection is sent with a `seq`, which
 * the worker acknowledges with `ack`. If a Node release changes that, the test of this module fails.
 */
export function closeLostConnections(worker: Worker): void {
  const { process: child } = worker;
  const handedOver = new Map<number, Connection>();
  const send = child.send.bind(child) as Send;
  const sendAndRemember: Send = (message, connection, ...rest) => {
    if (connection && typeof message.seq === 'number') handedOver.set(message.seq, connection);
    return send(message, connection, ...rest);
  };
  child.send = sendAndRemember as typeof child.send;
  child.on('internalMessage', ({ ack }: { ack?: number }) => {
    // Accepted, and closed by Node; or rejected, and handed to another worker.
    if (ack !== undefined) handedOver.delete(ack);
  });
  // Exited, with every message received. `disconnect` is not emitted while a connection is being sent.
  child.once('close', () => {
    for (const connection of handedOver.values()) connection.close();
    handedOver.clear();
  });
}

/** Node sends the handle of a connection, not a socket. */
type Connection = SendHandle & { close(): void };

type Send = (message: { seq?: number }, connection?: Connection, ...rest: unknown[]) => boolean;
