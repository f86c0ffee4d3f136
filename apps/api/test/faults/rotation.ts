import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningService } from '../running-service.ts';
import { type Answer, type Caller, openCaller } from './caller.ts';
import type { SentPlant } from './plants.ts';
import { isReady } from './watch-shutdown.ts';

/** Several instances behind one another, as a load balancer and a client that tries once more see them. */
export interface Rotation {
  instances(): readonly RunningService[];
  /** It gets requests from when it is ready. */
  add(service: RunningService): void;
  remove(service: RunningService): void;
  /** Sends to the next one that is ready; what is not answered 200 once more, to another one. */
  send(plant: SentPlant): Promise<Answer>;
  /** How many requests were sent a second time. */
  retried(): number;
  close(): void;
}

/** How often a load balancer asks for readiness, in milliseconds: about as often as such do. */
const ASK_EVERY_MS = 200;

/** Resolves when they are known to be ready. */
export async function rotate(services: readonly RunningService[]): Promise<Rotation> {
  const callers = new Map<RunningService, Caller>();
  let ready: readonly Caller[] = [];
  let turn = 0;
  let retried = 0;
  let watching = true;

  function add(service: RunningService): void {
    callers.set(service, openCaller(service.url));
  }
  for (const service of services) add(service);

  async function look(): Promise<void> {
    const asked = await Promise.all(
      [...callers].map(async ([service, caller]) => ((await isReady(service)) ? [caller] : [])),
    );
    ready = asked.flat();
  }

  await look();
  void (async () => {
    while (watching) {
      await sleep(ASK_EVERY_MS);
      await look();
    }
  })();

  function next(except?: Caller): Caller {
    turn += 1;
    const others = ready.filter((caller) => caller !== except);
    const caller = others[turn % others.length];
    if (!caller) throw new Error('no other instance is ready');
    return caller;
  }

  return {
    instances: () => [...callers.keys()],
    add,
    remove(service) {
      callers.get(service)?.close();
      callers.delete(service);
    },
    async send(plant) {
      const first = next();
      const answer = await first.send(plant);
      if (answer.outcome === 200) return answer;
      retried += 1;
      const second = await next(first).send(plant);
      return { ...second, sentAt: answer.sentAt };
    },
    retried: () => retried,
    close() {
      watching = false;
      for (const caller of callers.values()) caller.close();
    },
  };
}
