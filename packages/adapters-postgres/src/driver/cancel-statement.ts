import { connect } from 'node:net';
import type pg from 'pg';

/**
 * Asks the server to cancel the statement that runs on a connection (CancelRequest; PostgreSQL documentation,
 * «Canceling Requests in Progress»): its backend would otherwise go on waiting behind a closed connection, and hold the
 * slot. A CancelRequest has no response, and one that cannot be sent is ignored.
 */
export function cancelStatement(client: pg.ClientBase, giveUpMs = GIVE_UP_MS): void {
  const { host, port, processID, secretKey } = client as unknown as Backend;
  const request = Buffer.alloc(16);
  const fields = [request.length, CANCEL_REQUEST, processID, secretKey];
  for (const [at, field] of fields.entries()) request.writeInt32BE(field, 4 * at);

  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.on('error', () => {}).setTimeout(giveUpMs, () => socket.destroy());
  socket.unref().end(request);
}

/** Fields of pg's client that its types do not declare. */
interface Backend {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

const CANCEL_REQUEST = 80_877_102;

/** 1.5 s, as long as connecting may take. */
const GIVE_UP_MS = 1_500;
