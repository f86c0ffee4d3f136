import { errorCatalogue } from '@plant-store/adapters-http';
import { createMetrics, defaultOf, metadataOf, settings, storageAdapters } from '@plant-store/api/reference';
import { type StoreHarness, storeContracts } from '@plant-store/contracts-stores';

/** The generated tables by the name in their marker. */
export const tables: Readonly<Record<string, () => string | Promise<string>>> = {
  errors: () =>
    table(
      ['error', 'meaning'],
      errorCatalogue.map(({ error, meaning }) => [error, meaning]),
    ),
  metrics: metricsTable,
  settings: () => settingsTable((name) => !name.startsWith('JWT_')),
  'settings-of-jwt': () => settingsTable((name) => name.startsWith('JWT_')),
  'store-capabilities': storeCapabilities,
};

/** The document with its tables generated anew. */
export async function withTables(document: string): Promise<string> {
  let text = document;
  for (const [part, name = ''] of document.matchAll(/^<!-- generated: (.+) -->\n[\s\S]*?<!-- \/generated -->$/gm))
    text = text.replace(part, `<!-- generated: ${name} -->\n${await tables[name]?.()}\n<!-- /generated -->`);
  return text;
}

/** A Markdown table. `<` is escaped, because a placeholder such as <path> would be read as a tag. */
function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.join('\n').replaceAll('<', '\\<');
}

function settingsTable(isShown: (name: string) => boolean): string {
  const shown = Object.entries(settings.shape).filter(([name]) => isShown(name));
  return table(
    ['variable', 'meaning', 'default'],
    shown.map(([name, schema]) => [`\`${name}\``, metadataOf(schema).description ?? '', defaultOf(schema) ?? '']),
  );
}

/** The service's own metrics, without prom-client's metrics of Node and the process. */
function metricsTable(): string {
  const { registry, requests, store } = createMetrics(undefined);
  requests.watch(() => 0);
  store.watchConnections(() => ({ used: 0, idle: 0, pending: 0, max: 0 }));
  store.logSize?.(0);
  const rows = registry
    .getMetricsAsArray()
    .filter(({ name }) => !/^(process|nodejs)_/.test(name))
    .map(({ name, help }) => [`\`${name}\``, help.replace(/\.$/, '')]);
  return table(['metric', 'meaning'], rows.toSorted());
}

/** The capabilities of each store, and the clauses that do not bind it. */
async function storeCapabilities(): Promise<string> {
  const engines = storageAdapters.map(({ form }) => ({ form, engine: form.replace(/:.*/, '') }));
  const harnesses: readonly StoreHarness[] = await Promise.all(
    engines.map(async ({ form, engine }) =>
      (await import(`../../packages/adapters-${engine}/harness/index.ts`)).storeHarness(form),
    ),
  );
  const row = (title: string, cell: (harness: StoreHarness) => string) => [title, ...harnesses.map(cell)];
  const yes = (name: keyof StoreHarness['capabilities'], title: string) =>
    row(title, ({ capabilities }) => (capabilities[name] ? 'yes' : 'no'));
  const clauses = storeContracts.flatMap((contract) => contract.clauses);
  return table(
    ['a store on', ...engines.map(({ engine }) => engine)],
    [
      yes('durable', 'keeps its plants when the service is stopped and started'),
      yes('survivesCrash', "survives the service's crash (SIGKILL)"),
      yes('survivesServerCrash', 'has a database server, and survives its crash (SIGKILL)'),
      yes('shared', 'may be used by several services at the same time'),
      yes('external', 'answers 503 in time when its database or file cannot, and recovers by itself'),
      yes('observed', 'reports metrics of its writes and its queue'),
      row('answers within, by default', ({ capabilities }) => `${capabilities.timeoutMs} ms`),
      row('notices by itself that plants would be lost, within', ({ capabilities: { unsafeAddsForMs } }) =>
        unsafeAddsForMs === undefined ? '' : `${unsafeAddsForMs} ms`,
      ),
      row('does not promise', (harness) => {
        const without = clauses.filter(({ appliesTo = () => true }) => !appliesTo(harness));
        return without.map(({ id }) => id).join(', ');
      }),
    ],
  );
}
