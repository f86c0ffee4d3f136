import { connect } from 'node:net';
import type pg from 'pg';

/**
 * Asks the server to give up the statement that runs on a connection, as a CancelRequest (PostgreSQL documentation,
 * «Canceling Requests in Progress»): its backend would otherwise wait on behind a connection that is gone, and hold the
 * slot. Nobody answers a CancelRequest, and nothing is to be done where it cannot be sent.
 */
export function cancelStatement(client: pg.ClientBase): void {
  const { host, port, processID, secretKey } = client as unknown as Backend;
  const request = Buffer.alloc(16);
  const fields = [request.length, CANCEL_REQUEST, processID, secretKey];
  for (const [at, field] of fields.entries()) request.writeInt32BE(field, 4 * at);

  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.on('error', () => {}).setTimeout(GIVE_UP_MS, () => socket.destroy());
  socket.unref().end(request);
}

/** What pg knows of the backend, and does not declare. */
interface Backend {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

const CANCEL_REQUEST = 80_877_102;

/** 1.5 s, as long as connecting may take. */
const GIVE_UP_MS = 1_500;
