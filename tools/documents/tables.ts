import { dirname, join } from 'node:path';
import { errorCatalogue } from '@plant-store/adapters-http';
import { createMetrics, defaultOf, metadataOf, settings } from '@plant-store/api/reference';
import { type StoreHarness, storeContracts } from '@plant-store/contracts-stores';
import { changes, filesOf } from '../changes/changes.ts';
import { type Night, nights } from '../nights/nights.ts';
import { read, root } from '../repository.ts';

/** The generated tables by the name in their marker. Each gets the folder of its document. */
export const tables: Readonly<Record<string, (folder: string) => string | Promise<string>>> = {
  capabilities,
  errors: () =>
    table(
      ['error', 'meaning'],
      errorCatalogue.map(({ error, meaning }) => [error, meaning]),
    ),
  'files-of-changes': () =>
    table(
      ['files that a change takes', 'here, five stores', 'in a common template, one store'],
      [
        ['an operation that reads', filesOf('add-operation').length, 7],
        ['an optional text', filesOf('add-field').length, 12],
      ],
    ),
  metrics: metricsTable,
  nights: nightsTable,
  settings: settingsTable,
  ...Object.fromEntries(changes.map((change) => [change, () => filesTable(change)])),
};

/** The text of a document with its tables generated anew. */
export async function withTables(path: string): Promise<string> {
  const document = read(path);
  const folder = dirname(path);
  let text = document;
  for (const [part, name = ''] of document.matchAll(/^<!-- generated: (.+) -->\n[\s\S]*?<!-- \/generated -->$/gm))
    text = text.replace(
      part,
      `<!-- generated: ${name} -->\n${await (tables[name] ?? unknownTable(path, name))(folder)}\n<!-- /generated -->`,
    );
  return text;
}

/** @throws {Error} always: nothing generates this table. */
function unknownTable(path: string, name: string): never {
  throw new Error(`${path}: there is no table ${name}; add it to tables, or its patch to tools/changes`);
}

/** A Markdown table. `<` is escaped, because a placeholder such as <path> would be read as a tag. */
function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.join('\n').replaceAll('<', '\\<');
}

/** The files that a change touches, by their packages. */
function filesTable(change: string): string {
  const packages = Map.groupBy(filesOf(change), ({ path }) => path.split('/', 2).join('/'));
  const cell =
    (folder: string) =>
    ({ path, isNew }: { readonly path: string; readonly isNew: boolean }) =>
      `\`${path.slice(folder.length + 1)}\`${isNew ? ' (new)' : ''}`;
  const rows = [...packages].map(([folder, files]) => [`\`${folder}\``, files.map(cell(folder)).join(', ')]);
  return table(['in', 'files'], rows);
}

/** The latest nights, the last one first. */
function nightsTable(): string {
  const tests = (part: Night['faults']) => (part ? `${part.ran}${part.ran < part.of ? ` of ${part.of}` : ''}` : '–');
  const rows = nights()
    .slice(-MAX_NIGHTS)
    .map(({ date, commit, simulation, faults, exhaustive, failures }) => [
      date,
      commit.slice(0, 7) + (commit.endsWith('+') ? '+' : ''),
      ...(simulation
        ? [simulation.plans, simulation.seed, Object.values(simulation.delivered).reduce((sum, each) => sum + each, 0)]
        : ['–', '–', '–']),
      ...[tests(faults), tests(exhaustive), failures.length],
    ]);
  const head = ['night', 'commit', 'plans', 'seed', 'simulated faults', 'real faults', 'exhaustive', 'failures'];
  return table(head, rows.toReversed());
}

const MAX_NIGHTS = 20;

function settingsTable(): string {
  const rows = Object.entries(settings.shape).map(([name, schema]) => [
    `\`${name}\``,
    metadataOf(schema).description ?? '',
    defaultOf(schema) ?? '',
  ]);
  return table(['variable', 'meaning', 'default'], rows);
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

/** The capabilities of the store in a folder, and the clauses that do not bind it. */
async function capabilities(folder: string): Promise<string> {
  const load = (module: string) => import(join(root, folder, module));
  const { storageAdapter } = await load('src/storage-adapter.ts');
  const harness: StoreHarness = await (await load('harness/index.ts')).storeHarness(storageAdapter.form);
  const { timeoutMs, unsafeAddsForMs, ...flags } = harness.capabilities;
  const missing = Object.entries(flags).flatMap(([name, has]) => (has ? [] : [name]));
  const clauses = storeContracts.flatMap((contract) => contract.clauses);
  const unbound = clauses.filter(({ appliesTo = () => true }) => !appliesTo(harness)).map(({ id }) => id);
  return table(
    ['missing capabilities', missing.join(', ') || 'none'],
    [
      ['clauses that do not apply', unbound.join(', ') || 'none'],
      ['an add ends within', `${timeoutMs} ms`],
      ['an unsafe database is noticed within', unsafeAddsForMs === undefined ? 'never' : `${unsafeAddsForMs} ms`],
    ],
  );
}
