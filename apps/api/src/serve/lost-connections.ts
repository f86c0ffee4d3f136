import type { SendHandle } from 'node:child_process';
import type { Worker } from 'node:cluster';

/**
 * In the primary: closes the connections that it has handed to a worker and that the worker never said it took, once the
 * worker is gone. Node keeps the primary's end of them open for ever: their callers would neither be answered nor hear
 * that nobody will.
 *
 * Node has no interface for this. The messages are those of its `lib/internal/cluster`: a connection is sent with a
 * `seq`, and the worker replies with that number as `ack`. Should a release change them, the test of this says so.
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
    // Taken, and closed by Node; or turned down, and handed to another worker.
    if (ack !== undefined) handedOver.delete(ack);
  });
  // Ended, and everything that it said has been heard. `disconnect` does not come while a connection is on its way.
  child.once('close', () => {
    for (const connection of handedOver.values()) connection.close();
    handedOver.clear();
  });
}

/** Node sends the bare handle of a connection, not a socket. */
type Connection = SendHandle & { close(): void };

type Send = (message: { seq?: number }, connection?: Connection, ...rest: unknown[]) => boolean;
