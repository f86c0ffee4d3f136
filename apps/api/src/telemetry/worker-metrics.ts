import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

/** Sent by a worker to its primary, and with a text or a reason the response. */
interface Message {
  readonly type: typeof type;
  readonly text?: string;
  /** Why they could not be collected. */
  readonly reason?: string;
}

const type = 'plant-store:metrics of all workers';

/**
 * In a worker: the metrics of all workers in Prometheus' text format, each with its label `worker`. The primary collects
 * them from the workers with prom-client.
 *
 * @returns a function that throws if a worker does not respond within prom-client's five seconds.
 */
export function metricsOfAllWorkers(registry: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries([registry]);
  // Its constructor makes this worker respond to the primary.
  new AggregatorRegistry();
  // Otherwise left out, since start times cannot be summed; the label keeps them apart.
  Object.assign(registry.getSingleMetric('process_start_time_seconds') ?? {}, { aggregator: 'first' });

  return ask;
}

/** Of scrapes at the same time each gets the response that comes first. */
function ask(): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  process.on('message', function listen(message: Partial<Message> | undefined) {
    if (message?.type !== type) return;
    process.off('message', listen);
    if (message.text !== undefined) resolve(message.text);
    else reject(new Error(`collecting the metrics of the workers failed: ${message.reason}`));
  });
  process.send?.({ type } satisfies Message);
  return promise;
}

/** In the primary: collects metrics for the workers that ask for them. */
export function collectWorkerMetrics(): void {
  const workers = new AggregatorRegistry();
  cluster.on('message', (worker: Worker, message: Partial<Message>) => {
    if (message.type !== type) return;
    const respond = (result: Omit<Message, 'type'>) => {
      if (worker.isConnected()) worker.send({ type, ...result });
    };
    workers.clusterMetrics().then(
      (text) => respond({ text }),
      ({ message: reason }: Error) => respond({ reason }),
    );
  });
}
