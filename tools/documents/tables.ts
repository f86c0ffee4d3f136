import { errorCatalogue } from '@plant-store/adapters-http';
import { aboutOf, createMetrics, defaultOf, settings } from '@plant-store/api/reference';
import { storeCapabilities, storeClauses } from './conformance.ts';
import { read } from './repository.ts';
import { table } from './table.ts';

/** The tables that are made from the code, by the name in their marker. */
export const tables: Readonly<Record<string, () => string | Promise<string>>> = {
  errors: errorsTable,
  metrics: metricsTable,
  settings: () => settingsTable((name) => !name.startsWith('JWT_')),
  'settings-of-jwt': () => settingsTable((name) => name.startsWith('JWT_')),
  'store-capabilities': storeCapabilities,
  'store-clauses': storeClauses,
  'time-outs': () => openApi.info.description.split('\n\n').find((text) => text.includes('time-out')) as string,
};

const openApi: { readonly info: { readonly description: string } } = JSON.parse(
  read('packages/adapters-http/openapi.json'),
);

function errorsTable(): string {
  return table(
    ['error', 'meaning'],
    Object.values(errorCatalogue).map(([error, meaning]) => [error, meaning]),
  );
}

function settingsTable(isShown: (name: string) => boolean): string {
  const shown = Object.entries(settings.shape).filter(([name]) => isShown(name));
  return table(
    ['variable', 'meaning', 'default'],
    shown.map(([name, schema]) => [`\`${name}\``, aboutOf(schema).description ?? '', defaultOf(schema) ?? '']),
  );
}

/** The service's own metrics; those of Node and the process are prom-client's to explain. */
function metricsTable(): string {
  const { registry, requests, store } = createMetrics(undefined);
  requests.watch(() => 0);
  store.watchConnections(() => ({ used: 0, idle: 0, pending: 0, max: 0 }));
  const rows = registry
    .getMetricsAsArray()
    .filter(({ name }) => !/^(process|nodejs)_/.test(name))
    .map(({ name, help }) => [`\`${name}\``, help.replace(/\.$/, '')]);
  return table(['metric', 'meaning'], rows.toSorted());
}
