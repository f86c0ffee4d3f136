import { createServer, type Socket } from 'node:net';
import { listening } from '@plant-store/testing-servers';
import { onTestFinished } from 'vitest';

/**
 * A server that responds to the first messages of PostgreSQL's protocol, one response each, and then hangs.
 *
 * @param hangsUp whether it closes its side when the client does.
 * @param onData is called with what it receives.
 */
export async function fakeServer(
  responses: readonly Buffer[],
  hangsUp = true,
  onData: (bytes: Buffer) => void = () => {},
): Promise<{ readonly url: string; open(): number }> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: !hangsUp }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    const left = [...responses];
    socket.on('data', (bytes: Buffer) => {
      onData(bytes);
      socket.write(left.shift() ?? '');
    });
  });
  const port = await listening(server, onTestFinished);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { url: `postgres://user@127.0.0.1:${port}/database`, open: () => sockets.size };
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

/** AuthenticationOk, BackendKeyData and ReadyForQuery. */
export const letsIn: readonly Buffer[] = [
  Buffer.concat([
    message('R', int32(0)),
    message('K', Buffer.concat([int32(1), int32(2)])),
    message('Z', Buffer.from('I')),
  ]),
];

/** AuthenticationSASL, and AuthenticationSASLContinue. */
export const asksForPassword: readonly Buffer[] = [
  message('R', Buffer.concat([int32(10), Buffer.from('SCRAM-SHA-256\0\0')])),
  message('R', Buffer.concat([int32(11), Buffer.from('r=nonce,s=c2FsdA==,i=4096')])),
];
