import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

/** Sent by a worker to its primary, and the response. */
interface MetricsRequest {
  readonly type: typeof type;
  readonly id: number;
}
interface MetricsResponse extends MetricsRequest {
  /** Undefined if they could not be collected. */
  readonly text?: string;
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

  const pending = new Map<number, PromiseWithResolvers<string>>();
  let nextId = 0;
  process.on('message', (message: Partial<MetricsResponse> | undefined) => {
    if (message?.type !== type || message.id === undefined) return;
    const response = pending.get(message.id);
    pending.delete(message.id);
    if (message.text !== undefined) response?.resolve(message.text);
    else response?.reject(new Error(`collecting the metrics of the workers failed: ${message.reason}`));
  });
  return () => {
    const response = Promise.withResolvers<string>();
    const request: MetricsRequest = { type, id: nextId++ };
    pending.set(request.id, response);
    process.send?.(request);
    return response.promise;
  };
}

/** In the primary: collects metrics for the workers that ask for them. */
export function collectWorkerMetrics(): void {
  const workers = new AggregatorRegistry();
  cluster.on('message', (worker: Worker, message: Partial<MetricsRequest>) => {
    if (message.type !== type) return;
    const respond = (result: object) => {
      if (worker.isConnected()) worker.send({ type, id: message.id, ...result });
    };
    workers.clusterMetrics().then(
      (text) => respond({ text }),
      ({ message: reason }: Error) => respond({ reason }),
    );
  });
}
