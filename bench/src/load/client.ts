import { type Connection, openConnection } from './connection.ts';
import type { PlantRequests } from './plant-request.ts';
import type { Tally } from './tally.ts';

/** A client with at most one request in flight, which reopens its connection if it is lost. */
export interface Client {
  /** Sends a request that was due at that time. */
  send(dueAt: number, counted: Tally): void;
  close(): void;
}

export interface ClientParts {
  readonly requests: PlantRequests;
  /** The number of the next plant to send. */
  nextPlant(): number;
  /** The request was completed or lost, so another can be sent. */
  onFree(client: Client): void;
  onFailure(error: Error): void;
}

export async function openClient(
  port: number,
  { requests, nextPlant, onFree, onFailure }: ClientParts,
): Promise<Client> {
  const request = requests.buffer();
  let inFlight: { dueAt: number; counted: Tally } | undefined;
  const client: Client = {
    send(dueAt, counted) {
      inFlight = { dueAt, counted };
      requests.render(request, nextPlant());
      counted.sent(dueAt, performance.now());
      connection.send(request);
    },
    close: () => connection.close(),
  };
  let connection = await connect();
  return client;

  function connect(): Promise<Connection> {
    return openConnection(port, {
      onResponse(status, bodyBytes) {
        if (!inFlight) return onFailure(new Error(`unexpected response with status ${status}`));
        const { dueAt, counted } = inFlight;
        inFlight = undefined;
        counted.completed(status, bodyBytes === requests.responseBytes, dueAt, performance.now());
        onFree(client);
      },
      onLost: () => void reconnect().catch(onFailure),
    });
  }

  async function reconnect(): Promise<void> {
    const lost = inFlight;
    inFlight = undefined;
    lost?.counted.lost();
    connection = await connect();
    // A client without a request in flight is already free.
    if (lost) onFree(client);
  }
}
