import { createMetrics } from '@plant-store/api/reference';
import { markdownTable } from './markdown-table.ts';

/** Every metric of the service, its own first, then those of Node and the operating system. */
export async function metricsTable(): Promise<string> {
  const { registry, requests, store } = createMetrics(undefined);
  requests.watch(() => 0);
  store.watchConnections(() => ({ used: 0, idle: 0, pending: 0, max: 0 }));
  const types = new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, type]));
  const rows = registry
    // The types of prom-client leave the names of the labels out.
    .getMetricsAsArray()
    .map((metric) => metric as typeof metric & { readonly labelNames: readonly string[] })
    .map(({ name, help, labelNames }) => {
      const labels = labelNames.map((label) => `\`${label}\``).join(', ');
      return [`\`${name}\``, String(types.get(name)), labels, help.replace(/\.$/, '')];
    });
  const isOurs = ([name = '']: readonly string[]) => /^`(http|plant_store)_/.test(name);
  const byName = ([a = '']: readonly string[], [b = '']: readonly string[]) => (a < b ? -1 : 1);
  return markdownTable(
    ['metric', 'type', 'labels', 'meaning'],
    [...rows.filter(isOurs).toSorted(byName), ...rows.filter((row) => !isOurs(row))],
  );
}
