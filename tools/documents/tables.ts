import { errorCatalogue } from '@plant-store/adapters-http';
import { createMetrics, defaultOf, jwtVariables, type Settings, settings } from '@plant-store/api/reference';
import { storeCapabilities, storeClauses } from './conformance.ts';
import { read } from './repository.ts';
import { table } from './table.ts';

/** The tables that are made from the code, by the name in their marker. */
export const tables: Readonly<Record<string, () => string | Promise<string>>> = {
  errors: errorsTable,
  'file-log-store': () => `\n\`\`\`ts\n${read('tools/releases/outside-adapter/src/store.ts')}\`\`\`\n`,
  metrics: metricsTable,
  settings: () => settingsTable(settings),
  'settings-of-jwt': () => settingsTable(jwtVariables),
  'store-capabilities': storeCapabilities,
  'store-clauses': storeClauses,
};

function errorsTable(): string {
  const kinds = Object.entries(errorCatalogue);
  return table(
    ['error', 'kind', 'meaning'],
    kinds.map(([kind, { error, meaning }]) => [error, kind, meaning]),
  );
}

function settingsTable(of: Settings): string {
  return table(
    ['variable', 'meaning', 'form', 'default'],
    Object.entries(of).map(([name, each]) => [`\`${name}\``, each.meaning, range(each.form), defaultOf(each) ?? '']),
  );
}

function range(form: string): string {
  return form.replace(/a whole number from (\d+) to (\d+)/, '$1–$2');
}

/** The service's own metrics; those of Node and the process are prom-client's to explain. */
async function metricsTable(): Promise<string> {
  const { registry, requests, store } = createMetrics(undefined);
  requests.watch(() => 0);
  store.watchConnections(() => ({ used: 0, idle: 0, pending: 0, max: 0 }));
  const types = new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]));
  const rows = registry
    // The types of prom-client leave the names of the labels out.
    .getMetricsAsArray()
    .map((metric) => metric as typeof metric & { readonly labelNames: readonly string[] })
    .map(({ name, help, labelNames }) => {
      const labels = labelNames.map((label) => `\`${label}\``).join(', ');
      return [`\`${name}\``, types.get(name) ?? '', labels, help.replace(/\.$/, '')];
    });
  const own = rows.filter(([name = '']) => !/^`(process|nodejs)_/.test(name));
  return table(['metric', 'type', 'labels', 'meaning'], own.toSorted());
}
