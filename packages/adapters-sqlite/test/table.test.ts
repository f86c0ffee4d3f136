import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { tableFaults } from '../src/table.ts';
import { plantsTable } from './plants-table.ts';

test.each([
  plantsTable(
    'id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT; CREATE TRIGGER plants AFTER INSERT ON plants BEGIN SELECT 1; END; --',
  ),
  plantsTable('id integer PRIMARY KEY, name VARCHAR(255), a, b NOT NULL DEFAULT 1, c NOT NULL AS (name)'),
])('a table that can store plants: CREATE %s', (sql) => {
  expect(faultsOf(sql)).toEqual([]);
});

test.each([
  [plantsTable('id INTEGER PRIMARY KEY, NAME TEXT'), 'name is missing'],
  [plantsTable('id TEXT PRIMARY KEY, name TEXT'), 'id is of the type TEXT'],
  [plantsTable('id INTEGER PRIMARY KEY, name CHARINT'), 'name is of the type CHARINT'],
  [plantsTable('id INTEGER PRIMARY KEY, name'), 'name is of the type , not TEXT'],
  [plantsTable('id INTEGER PRIMARY KEY, name TEXT, tag TEXT NOT NULL'), 'tag is NOT NULL'],
  [plantsTable('id INTEGER PRIMARY KEY, name TEXT, tag TEXT AS (upper(name))'), 'tag is generated'],
  [plantsTable('id INTEGER PRIMARY KEY, name TEXT, a NOT NULL DEFAULT NULL'), 'a is NOT NULL and has no default'],
  [plantsTable('id INTEGER UNIQUE, name TEXT'), 'its primary key is not the column id'],
  [plantsTable('id INTEGER, name TEXT, PRIMARY KEY (id, name)'), 'its primary key is not the column id'],
  ['VIEW plants AS SELECT * FROM missing_table', 'it is a view'],
  ['VIRTUAL TABLE plants USING fts5 (id, name, tag)', 'it is a virtual table'],
])('CREATE %s: %s', (sql, fault) => {
  expect(faultsOf(sql)).toEqual([expect.stringContaining(fault)]);
});

test('an index named plants is not a table', () => {
  expect(faultsOf('TABLE others (id); CREATE INDEX plants ON others (id)')).toBeUndefined();
});

function faultsOf(sql: string) {
  using database = new DatabaseSync(':memory:');
  database.exec(`CREATE ${sql}`);
  return tableFaults(database);
}
