import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

/** What a worker asks its primary for, and what it is answered. */
interface Question {
  readonly type: typeof type;
  readonly id: number;
}
interface Answer extends Question {
  /** Left out where they could not be gathered. */
  readonly text?: string;
  readonly reason?: string;
}

const type = 'plant-store:metrics of all workers';

/**
 * In a worker: the metrics of every worker of the service, in Prometheus' text format; each has its label `worker`. They
 * are asked for through the primary, which asks the workers by prom-client.
 *
 * @returns a function that throws when one of them has not answered within prom-client's five seconds.
 */
export function metricsOfAllWorkers(registry: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries([registry]);
  // Making it is what lets this worker answer the primary.
  new AggregatorRegistry();
  // The time at which a process was started would be left out as one that cannot be summed; the label tells them apart.
  Object.assign(registry.getSingleMetric('process_start_time_seconds') ?? {}, { aggregator: 'first' });

  const asked = new Map<number, PromiseWithResolvers<string>>();
  let questions = 0;
  process.on('message', (message: Partial<Answer> | undefined) => {
    if (message?.type !== type || message.id === undefined) return;
    const answer = asked.get(message.id);
    asked.delete(message.id);
    if (message.text !== undefined) answer?.resolve(message.text);
    else answer?.reject(new Error(`the metrics of the workers could not be gathered: ${message.reason}`));
  });
  return () => {
    const answer = Promise.withResolvers<string>();
    const question: Question = { type, id: questions++ };
    asked.set(question.id, answer);
    process.send?.(question);
    return answer.promise;
  };
}

/** In the primary: answers the workers that ask. */
export function gatherMetricsOfWorkers(): void {
  const workers = new AggregatorRegistry();
  cluster.on('message', (asking: Worker, message: Partial<Question>) => {
    if (message.type !== type) return;
    const answer = (result: object) => {
      if (asking.isConnected()) asking.send({ type, id: message.id, ...result });
    };
    workers.clusterMetrics().then(
      (text) => answer({ text }),
      ({ message: reason }: Error) => answer({ reason }),
    );
  });
}
