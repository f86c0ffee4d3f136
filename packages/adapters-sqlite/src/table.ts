import type { DatabaseSync } from 'node:sqlite';
import { type Column, columnFaults } from '@plant-store/store-kit';

/** Why the table `plants` would lose or change plants, or refuse good ones; undefined if there is none. */
export function tableFaults(database: DatabaseSync): readonly string[] | undefined {
  const columns = database.prepare(CATALOGUE).all() as unknown as readonly CatalogueRow[];
  const [{ kind } = {}] = columns;
  if (kind === undefined) return undefined;
  if (kind !== 'table')
    return [
      `it is a ${kind === 'view' ? 'view' : 'virtual table'}: if its table has the plants, drop it and rename the table to plants`,
    ];
  const faults = [...columnFaults(columns.map(withAffinity), { id: 'INTEGER', name: 'TEXT', tag: 'TEXT' })];
  const key = columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  if (key.join() !== 'id') faults.push('its primary key is not the column id: change that');
  return faults;
}

/** A type that keeps texts as they are, by SQLite's rules (https://sqlite.org/datatype3.html, section 3.1). */
const withAffinity = (column: CatalogueRow): CatalogueRow =>
  /CHAR|CLOB|TEXT/i.test(column.type) && !/INT/i.test(column.type) ? { ...column, type: 'TEXT' } : column;

/** A column, and what has it. Its booleans are 0 and 1. */
type CatalogueRow = Column & { readonly kind: string; readonly isKey: boolean };

/** What is no table has one row, without a column. */
const CATALOGUE = `
  SELECT list.type AS kind, info.name, info.type, "notnull" AS isNotNull, pk > 0 AS isKey,
    coalesce(upper(dflt_value), 'NULL') <> 'NULL' AS hasDefault, hidden > 0 AS isGenerated
  FROM pragma_table_list('plants') AS list
    LEFT JOIN pragma_table_xinfo(iif(list.type = 'table', list.name, '')) AS info
  WHERE list.schema = 'main'`;
