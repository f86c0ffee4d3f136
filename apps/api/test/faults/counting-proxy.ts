import { connect, createServer, type Socket } from 'node:net';
import { listening } from '@plant-store/testing-servers';
import { countAttempts } from './count-attempts.ts';

/** A proxy in front of PostgreSQL that counts attempts. */
export interface CountingProxy {
  /** The same database, through the proxy. */
  readonly url: string;
  /** Connection attempts, simple queries, and plants in statements; a plant in two statements counts as two. */
  attempts(): number;
  /** Statements without plants, as a probe runs them. */
  probeStatements(): number;
  close(): void;
}

/** @param url over TCP or a unix socket, not encrypted. */
export async function openCountingProxy(url: string): Promise<CountingProxy> {
  const sockets = new Set<Socket>();
  let attempts = 0;
  let probeStatements = 0;
  const count = (plants: number) => {
    attempts += plants;
    if (plants === 0) probeStatements += 1;
  };

  function forward(client: Socket, server: Socket): void {
    join(client, server);
    join(server, client);
    count(1);
    client.on('data', countAttempts(count));
    client.pipe(server).pipe(client);
  }

  function join(socket: Socket, other: Socket): void {
    sockets.add(socket);
    socket
      .on('error', () => {})
      .on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
  }

  const [, before = '', host = '', after = ''] = /^(\w+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  const listener = createServer((client) => forward(client, connectTo(host)));
  return {
    url: `${before}127.0.0.1:${await listening(listener)}${after}`,
    attempts: () => attempts,
    probeStatements: () => probeStatements,
    close() {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function connectTo(hostAndPort: string): Socket {
  const [host = '', port = '5432'] = hostAndPort.split(':').map(decodeURIComponent);
  return host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(Number(port), host);
}
