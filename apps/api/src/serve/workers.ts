import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Application } from '../compose.ts';
import { collectWorkerMetrics, WORKER_NAME } from '../telemetry/index.ts';
import { closeLostConnections } from './lost-connections.ts';

/** Delay before a worker that exited is restarted, in milliseconds: one that cannot run must not be forked in a tight loop. */
const RESTART_DELAY_MS = 1_000;

/**
 * Runs the service in `count` processes that share its ports. A worker that exits is restarted.
 *
 * @returns the service as a whole; stopping it shuts down every worker gracefully.
 * @throws {Error} if a worker exits before it is listening; it has logged why.
 */
export async function startWorkers(count: number, logger: Logger): Promise<Application> {
  let stopping = false;
  const names = new WeakMap<Worker, number>();
  collectWorkerMetrics();
  // The first one alone: what prevents its start would prevent all of them, and is logged once.
  const addresses = await startWorker(1, names);
  cluster.on('exit', async (worker, code, signal) => {
    if (stopping) return;
    logger.error(`worker ${worker.process.pid} exited (${signal ?? code}); restarting`);
    await sleep(RESTART_DELAY_MS);
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
 * In a worker: reports its addresses to the primary, and shuts down gracefully when the primary asks for it. If the primary
 * dies, Node ends the worker immediately: what was acknowledged is stored, the rest can be sent again.
 */
export function shutDownWithPrimary(application: Application): void {
  const { url, adminUrl } = application;
  const onMessage = async (message: Partial<StopMessage>) => {
    // prom-client sends messages, too.
    if (message.delayMs === undefined) return;
    await application.stop(message.delayMs);
    process.exit(0);
  };
  process.on('message', onMessage);
  // Ctrl-C reaches every process of a terminal; only the primary acts on it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  process.send?.({ url, adminUrl });
}

/** Sent by the primary to shut a worker down. */
interface StopMessage {
  readonly delayMs: number;
}

type Addresses = Pick<Application, 'url' | 'adminUrl'>;

async function startWorker(name: number, names: WeakMap<Worker, number>): Promise<Addresses> {
  const worker = cluster.fork({ [WORKER_NAME]: String(name) });
  names.set(worker, name);
  closeLostConnections(worker);
  const exited = once(worker, 'exit').then(([code, signal]) => {
    throw new Error(`a worker exited before it was listening (${signal ?? code}); see its message above`);
  });
  const addresses = await Promise.race([listening(worker), exited]);
  exited.catch(() => {});
  return addresses;
}

/** A worker may ask for metrics before it reports its addresses. */
async function listening(worker: Worker): Promise<Addresses> {
  for (;;) {
    const [message] = await once(worker, 'message');
    if (typeof message?.url === 'string') return message;
  }
}

async function stopWorker(worker: Worker, delayMs: number): Promise<void> {
  const exited = once(worker, 'exit');
  worker.send({ delayMs } satisfies StopMessage);
  const [code, signal] = await exited;
  if (code !== 0) throw new Error(`worker ${worker.process.pid} exited with ${signal ?? code}`);
}

function runningWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected()) as Worker[];
}
