import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { startService } from '../running-service.ts';
import { watchBackends } from './backends.ts';
import { openClient } from './client.ts';
import { openCountingProxy } from './counting-proxy.ts';
import { sendAgain, startLoad } from './load.ts';
import type { Observed } from './observed.ts';
import { newPlants } from './plants.ts';
import { watchProbes } from './probes.ts';
import { storedPlants } from './stored-plants.ts';

/** A fault of the store while the service is under load. */
export interface Fault {
  /** The database. */
  readonly url: string;
  /** A database of the same server that accepts connections however full it is. Default: `url`. */
  readonly askedAt?: string;
  /** Resolves once the fault has begun. */
  begin(): Promise<void>;
  /** Resolves once it is repaired. */
  repair(): Promise<void>;
  /** How long it lasts, in milliseconds. */
  readonly lastsMs: number;
  /** How long the load continues after the repair, in milliseconds. Default: 4,000. */
  readonly thenMs?: number;
  /** Requests per second. Default: 200, a steady load far below the capacity of the service. */
  readonly rate?: number;
  /** Length of names, in characters. */
  readonly nameLength?: number;
}

const STEADY_MS = 2_000;

/** Starts the service under load, begins and repairs the fault, and reads what is stored. */
export async function underFault(fault: Fault): Promise<Observed> {
  const { url, askedAt = url, lastsMs, thenMs = 4_000, rate = 200 } = fault;
  const proxy = await openCountingProxy(url);
  onTestFinished(proxy.close);
  const service = await startService({ DATABASE_URL: proxy.url });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  const client = openClient(service.url);
  onTestFinished(client.close);
  const probes = watchProbes(service.adminUrl);
  onTestFinished(probes.stop);
  const backends = watchBackends(url, askedAt);

  const startedAt = performance.now();
  const load = startLoad(rate, newPlants(fault.nameLength), client.send);
  await sleep(STEADY_MS);
  const begunAt = performance.now();
  const attemptsBefore = proxy.attempts();
  await fault.begin();
  const brokenAt = performance.now();
  await sleep(lastsMs);
  const ready = probes.statuses('/readyz', brokenAt + 1_000, performance.now());
  await fault.repair();
  const repairedAt = performance.now();
  const attemptsInFault = proxy.attempts() - attemptsBefore;
  await sleep(thenMs);
  const results = await load.stop();

  const again = await sendAgain(results, client.send);
  const mostBackends = await backends.stop();
  const stored = await storedPlants(url, results);
  const attempts = proxy.attempts();
  const probeStatementsPerSecond = proxy.probeStatements() / ((performance.now() - startedAt) / 1_000);
  return {
    ...{ results, again, begunAt, repairedAt, stored, attempts, attemptsInFault, probeStatementsPerSecond },
    ...{ mostBackends, ready },
  };
}
