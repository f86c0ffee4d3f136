import { type Connection, openConnection } from './connection.ts';
import type { PlantNumbers } from './plant-numbers.ts';
import type { PlantRequests } from './plant-request.ts';
import type { Tally } from './tally.ts';

/** A client that has one request under way at most, and opens its connection again when it is lost. */
export interface Client {
  /** Sends a request that was due at that time. */
  send(dueAt: number, counted: Tally): void;
  close(): void;
}

export interface ClientParts {
  readonly requests: PlantRequests;
  readonly numbers: PlantNumbers;
  /** The request was answered or lost, and another can be sent. */
  onFree(client: Client): void;
  onFailure(error: Error): void;
}

export async function openClient(port: number, { requests, numbers, onFree, onFailure }: ClientParts): Promise<Client> {
  const request = requests.buffer();
  let underWay: { plant: number; isNew: boolean; dueAt: number; counted: Tally } | undefined;
  const client: Client = {
    send(dueAt, counted) {
      const { plant, isNew } = numbers.next();
      underWay = { plant, isNew, dueAt, counted };
      requests.render(request, plant);
      counted.sent(isNew, dueAt, performance.now());
      connection.send(request);
    },
    close: () => connection.close(),
  };
  let connection = await connect();
  return client;

  function connect(): Promise<Connection> {
    return openConnection(port, {
      onAnswer(status, bodyBytes) {
        if (!underWay) return onFailure(new Error(`an answer of status ${status} came that nobody asked for`));
        const { plant, isNew, dueAt, counted } = underWay;
        underWay = undefined;
        counted.answered(status, isNew, bodyBytes === requests.answerBytes, dueAt, performance.now());
        if (status === 200 && isNew) numbers.created(plant);
        onFree(client);
      },
      onLost: () => void reconnect().catch(onFailure),
    });
  }

  async function reconnect(): Promise<void> {
    const lost = underWay;
    underWay = undefined;
    lost?.counted.lost(lost.isNew);
    connection = await connect();
    // A client that had nothing under way is free already, and was all the time.
    if (lost) onFree(client);
  }
}
