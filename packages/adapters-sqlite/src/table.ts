import type { DatabaseSync } from 'node:sqlite';
import { type Column, columnFaults } from '@plant-store/store-kit';

/** Why the table `plants` would lose or change plants, or refuse good ones; undefined if there is none. */
export function tableFaults(database: DatabaseSync): readonly string[] | undefined {
  const columns = database.prepare(CATALOGUE).all() as unknown as readonly CatalogueRow[];
  const [{ kind, sql } = {}] = columns;
  if (sql === undefined) return undefined;
  if (kind !== 'table') return [`it is a ${kind === 'view' ? 'view' : 'virtual table'}: rename it`];
  const faults = [...columnFaults(columns, { id: 'INTEGER', name: 'TEXT', tag: 'TEXT' })];
  const key = columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  if (key.join() !== 'id') faults.push('its primary key is not the column id: change that');
  if (/\bon\s+conflict\s+replace\b/i.test(sql))
    faults.push('ON CONFLICT REPLACE lets a plant delete others: remove that');
  return faults;
}

/** A column, and what has it. Its booleans are 0 and 1. */
type CatalogueRow = Column & Readonly<Record<'kind' | 'sql', string> & { isKey: boolean }>;

/** What is no table has one row, without a column. */
const CATALOGUE = `
  SELECT list.type AS kind, sql, info.name, info.type, "notnull" AS isNotNull, pk > 0 AS isKey,
    coalesce(upper(dflt_value), 'NULL') <> 'NULL' AS hasDefault, hidden > 0 AS isGenerated
  FROM pragma_table_list('plants') AS list
    JOIN sqlite_schema AS made ON made.name = list.name AND made.type IN ('table', 'view')
    LEFT JOIN pragma_table_xinfo(iif(list.type = 'table', list.name, '')) AS info
  WHERE list.schema = 'main'`;
