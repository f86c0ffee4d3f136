import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/telemetry/metrics.ts';

const documented = readFileSync(new URL('../../../../docs/telemetry.md', import.meta.url), 'utf8');

/** Every metric as a row of a Markdown table, those of the service first. */
async function metricsTable(): Promise<string> {
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
      return `| \`${name}\` | ${types.get(name)} | ${labels} | ${help.replace(/\.$/, '')} |`;
    });
  const isOurs = (row: string) => /^\| `(http|plant_store)_/.test(row);
  const sorted = [...rows.filter(isOurs).toSorted(), ...rows.filter((row) => !isOurs(row))];
  return ['| metric | type | labels | |', '|---|---|---|---|', ...sorted].join('\n');
}

test('docs/telemetry.md lists every metric as it is', async () => {
  expect(documented).toContain(`by a test -->\n${await metricsTable()}\n<!-- /metrics -->`);
});
