import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Application } from '../compose.ts';
import { gatherMetricsOfWorkers } from '../telemetry/all-workers.ts';
import { WORKER_NAME } from '../telemetry/telemetry.ts';
import { closeLostConnections } from './lost-connections.ts';

/** How long after its end a worker is replaced, in milliseconds: one that cannot run must not be forked in a circle. */
const REPLACE_AFTER_MS = 1_000;

/**
 * Runs the service in so many processes that share its ports. A worker that ends is replaced.
 *
 * @returns the service as a whole; stopping it stops every worker in order.
 * @throws {Error} when a worker ends before it listens; it has said why.
 */
export async function startWorkers(count: number, logger: Logger): Promise<Application> {
  let stopping = false;
  const names = new WeakMap<Worker, number>();
  gatherMetricsOfWorkers();
  // The first one alone: what keeps it from starting would keep all of them, and is said once.
  const addresses = await startWorker(1, names);
  cluster.on('exit', async (worker, code, signal) => {
    if (stopping) return;
    logger.error(`worker ${worker.process.pid} ended (${signal ?? code}): another takes its place`);
    await sleep(REPLACE_AFTER_MS);
    if (!stopping)
      await startWorker(names.get(worker) ?? 0, names).catch((error: Error) => logger.error(error.message));
  });

  await Promise.all(Array.from({ length: count - 1 }, (_, at) => startWorker(at + 2, names)));

  async function stop(delayMs = 0): Promise<void> {
    stopping = true;
    await Promise.all(runningWorkers().map((worker) => stopWorker(worker, delayMs)));
  }
  return { ...addresses, stop };
}

/**
 * In a worker: tells the primary where it listens, and ends in order when the primary says so. A worker whose primary is
 * gone is ended at once, by Node: what it has acknowledged is stored, what it has not may be sent again.
 */
export function endWithPrimary(application: Application): void {
  const { url, adminUrl } = application;
  const end = async (message: Partial<StopMessage>) => {
    // prom-client has something to say as well.
    if (message.delayMs === undefined) return;
    await application.stop(message.delayMs);
    process.exit(0);
  };
  process.on('message', end);
  // Ctrl-C reaches every process of a terminal; the primary is the one that acts on it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  process.send?.({ url, adminUrl });
}

/** What the primary says to a worker. */
interface StopMessage {
  readonly delayMs: number;
}

type Addresses = Pick<Application, 'url' | 'adminUrl'>;

async function startWorker(name: number, names: WeakMap<Worker, number>): Promise<Addresses> {
  const worker = cluster.fork({ [WORKER_NAME]: String(name) });
  names.set(worker, name);
  closeLostConnections(worker);
  const ended = once(worker, 'exit').then(([code, signal]) => {
    throw new Error(`a worker ended before it listened (${signal ?? code}); its own message says why`);
  });
  const addresses = await Promise.race([listening(worker), ended]);
  ended.catch(() => {});
  return addresses;
}

/** A worker may ask for metrics before it says where it listens. */
async function listening(worker: Worker): Promise<Addresses> {
  for (;;) {
    const [message] = await once(worker, 'message');
    if (typeof message?.url === 'string') return message;
  }
}

async function stopWorker(worker: Worker, delayMs: number): Promise<void> {
  const ended = once(worker, 'exit');
  worker.send({ delayMs } satisfies StopMessage);
  const [code, signal] = await ended;
  if (code !== 0) throw new Error(`worker ${worker.process.pid} ended with ${signal ?? code}`);
}

function runningWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected()) as Worker[];
}
