import type { DatabaseSync } from 'node:sqlite';
import { type Column, columnFaults, columnTypes } from '@plant-store/store-kit';

/** Finds why the table `plants` would lose, change or reject plants. @returns undefined if there is no table. */
export function tableFaults(database: DatabaseSync): readonly string[] | undefined {
  const columns = database.prepare(CATALOGUE).all() as unknown as readonly CatalogueRow[];
  const [{ kind } = {}] = columns;
  if (kind === undefined) return undefined;
  if (kind !== 'table')
    return [
      `it is a ${kind === 'view' ? 'view' : 'virtual table'}: if its table has the plants, drop it and rename the table to plants`,
    ];
  const faults = [...columnFaults(columns.map(withAffinity), columnTypes('INTEGER', 'TEXT'))];
  const key = columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  if (key.join() !== 'id') faults.push('its primary key is not the column id: change its primary key');
  return faults;
}

/** Replaces types with text affinity by TEXT (https://sqlite.org/datatype3.html, section 3.1). */
const withAffinity = (column: CatalogueRow): CatalogueRow =>
  /CHAR|CLOB|TEXT/i.test(column.type) && !/INT/i.test(column.type) ? { ...column, type: 'TEXT' } : column;

/** A column and the kind of its table. Its booleans are 0 and 1. */
type CatalogueRow = Column & { readonly kind: string; readonly isKey: boolean };

/** A view or virtual table has one row without a column. */
const CATALOGUE = `
  SELECT list.type AS kind, info.name, info.type, "notnull" AS isNotNull, pk > 0 AS isKey,
    coalesce(upper(dflt_value), 'NULL') <> 'NULL' AS hasDefault, hidden > 0 AS isGenerated
  FROM pragma_table_list('plants') AS list
    LEFT JOIN pragma_table_xinfo(iif(list.type = 'table', list.name, '')) AS info
  WHERE list.schema = 'main'`;
