import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningService } from '../running-service.ts';
import { type Client, openClient, type Result } from './client.ts';
import { isDecided } from './figures.ts';
import type { SentPlant } from './plants.ts';
import { isReady } from './watch-shutdown.ts';

type Addresses = Pick<RunningService, 'url' | 'adminUrl'>;

/** Several instances, behind a load balancer and with a client that retries once. */
export interface Rotation<Service extends Addresses> {
  instances(): readonly Service[];
  /** It gets requests once it is ready. */
  add(service: Service): void;
  remove(service: Service): void;
  /** Sends to the next ready instance; what the store has not decided is retried once on another one. */
  send(plant: SentPlant): Promise<Result>;
  /** The first results of the requests that were retried. */
  retried(): readonly Result[];
  close(): void;
}

/** Interval of readiness probes in milliseconds, typical of load balancers. */
const PROBE_INTERVAL_MS = 200;

/**
 * 16 connections to an instance, and requests wait for a free one. Node accepts one connection a turn of the event loop: where
 * a turn takes long, a connection for each request that waits would never be accepted in time.
 */
const CONNECTIONS = 16;

/** Resolves once they are ready. */
export async function rotate<Service extends Addresses>(services: readonly Service[]): Promise<Rotation<Service>> {
  const clients = new Map<Service, Client>();
  let ready: readonly Client[] = [];
  let turn = 0;
  const retried: Result[] = [];
  let watching = true;

  function add(service: Service): void {
    clients.set(service, openClient(service.url, CONNECTIONS));
  }
  for (const service of services) add(service);

  async function look(): Promise<void> {
    const asked = await Promise.all(
      [...clients].map(async ([service, client]) => ((await isReady(service)) ? [client] : [])),
    );
    ready = asked.flat();
  }

  await look();
  void (async () => {
    while (watching) {
      await sleep(PROBE_INTERVAL_MS);
      await look();
    }
  })();

  function next(except?: Client): Client {
    turn += 1;
    const others = ready.filter((client) => client !== except);
    const client = others[turn % others.length];
    if (!client) throw new Error('no other instance is ready');
    return client;
  }

  return {
    instances: () => [...clients.keys()],
    add,
    remove(service) {
      clients.get(service)?.close();
      clients.delete(service);
    },
    async send(plant) {
      const first = next();
      const result = await first.send(plant);
      if (isDecided(result)) return result;
      retried.push(result);
      const second = await next(first).send(plant);
      return { ...second, sentAt: result.sentAt };
    },
    retried: () => retried,
    close() {
      watching = false;
      for (const client of clients.values()) client.close();
    },
  };
}
