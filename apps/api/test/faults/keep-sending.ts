import { setTimeout as sleep } from 'node:timers/promises';
import { openClient, type Result } from './client.ts';
import type { SentPlant } from './plants.ts';

/** Clients that ignore readiness. */
export interface PersistentClients {
  /** Of every request that reached a listener, so far. */
  readonly results: readonly Result[];
  /** Resolves once every response is there, or lost. */
  stop(): Promise<readonly Result[]>;
}

/** How long a client waits that was refused a connection, in milliseconds. */
const REFUSED_MS = 20;

/** Each client sends its next request when it has the response to the last one. */
export function keepSending(url: string, clients: number, next: () => SentPlant): PersistentClients {
  const { send, close } = openClient(url, clients);
  const results: Result[] = [];
  let stopping = false;
  const sending = Array.from({ length: clients }, async () => {
    while (!stopping) {
      const result = await send(next());
      if (result.outcome === 'refused') await sleep(REFUSED_MS);
      else results.push(result);
    }
  });
  return {
    results,
    async stop() {
      stopping = true;
      await Promise.all(sending);
      close();
      return results;
    },
  };
}
