import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { startService } from '../running-service.ts';
import { watchBackends } from './backends.ts';
import { openCaller } from './caller.ts';
import { openCountingProxy } from './counting-proxy.ts';
import { sendAgain, startLoad } from './load.ts';
import type { Observed } from './observed.ts';
import { newPlants } from './plants.ts';
import { storedPlants } from './stored-plants.ts';

/** A fault of the store, while a service that uses it is under load. */
export interface Fault {
  /** The database. */
  readonly url: string;
  /** The same as the service is to reach it, where it is to know several hosts. `url` by default. */
  readonly serviceUrl?: string;
  /** A database of the same server that lets us in, however full it is. `url` by default. */
  readonly askedAt?: string;
  /** Resolves when the fault is there. */
  begin(): Promise<void>;
  /** Resolves when it is repaired. */
  repair(): Promise<void>;
  /** How long it lasts, in milliseconds. */
  readonly lastsMs: number;
  /** How long the load goes on after the repair, in milliseconds. 4,000 by default. */
  readonly thenMs?: number;
  /** Requests a second. 200 by default: a steady load, and far less than the service carries. */
  readonly rate?: number;
  /** How long the names are, in characters. */
  readonly nameLength?: number;
}

const STEADY_MS = 2_000;

/** Starts the service, loads it, lets the fault happen and repairs it, and looks at what is in the store. */
export async function underFault(fault: Fault): Promise<Observed> {
  const { url, serviceUrl = url, askedAt = url, lastsMs, thenMs = 4_000, rate = 200 } = fault;
  const proxy = await openCountingProxy(serviceUrl);
  onTestFinished(proxy.close);
  const service = await startService({ DATABASE_URL: proxy.url });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  const caller = openCaller(service.url);
  onTestFinished(caller.close);
  const backends = watchBackends(url, askedAt);

  const load = startLoad(rate, newPlants(fault.nameLength), caller.send);
  await sleep(STEADY_MS);
  const begunAt = performance.now();
  const attemptsBefore = proxy.attempts();
  await fault.begin();
  await sleep(lastsMs);
  await fault.repair();
  const repairedAt = performance.now();
  const attemptsInFault = proxy.attempts() - attemptsBefore;
  await sleep(thenMs);
  const answers = await load.stop();

  const again = await sendAgain(answers, caller.send);
  const mostBackends = await backends.stop();
  const stored = await storedPlants(url, answers);
  const attempts = proxy.attempts();
  return { answers, again, begunAt, repairedAt, stored, attempts, attemptsInFault, mostBackends };
}
