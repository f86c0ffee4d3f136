import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from './connection.ts';
import type { PlantNumbers } from './plant-numbers.ts';
import type { PlantRequests } from './plant-request.ts';
import type { Tally } from './tally.ts';

/** 2 s per request: slow enough to occupy a connection, fast enough to avoid timeouts. */
const REQUEST_MS = 2_000;
const PIECES = 200;

/** Sends requests piece by piece until the given time. Its plants are counted, its latencies are not. */
export async function keepSlowClient(
  port: number,
  {
    requests,
    numbers,
    counted,
    until,
  }: { requests: PlantRequests; numbers: PlantNumbers; counted: Tally; until: number },
): Promise<void> {
  while (performance.now() < until) {
    const { promise: completed, resolve, reject } = Promise.withResolvers<number>();
    completed.catch(() => {});
    const connection = await openConnection(port, {
      onResponse: resolve,
      onLost: (reason) => reject(new Error(`the slow client lost its connection: ${reason}`)),
    });
    const { plant, isNew } = numbers.next();
    const request = requests.buffer();
    requests.render(request, plant);
    counted.slowSent(isNew);
    const piece = Math.ceil(request.length / PIECES);
    for (let at = 0; at < request.length; at += piece) {
      connection.send(request.subarray(at, at + piece));
      await sleep(REQUEST_MS / PIECES);
    }
    counted.slowCompleted(await completed, isNew);
    connection.close();
  }
}
