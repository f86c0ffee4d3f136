import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { tableFaults } from '../src/table.ts';

const table = (columns: string) => `TABLE plants (${columns})`;

test.each([
  table(
    'id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT) STRICT; CREATE TRIGGER plants AFTER INSERT ON plants BEGIN SELECT 1; END; --',
  ),
  table('id integer PRIMARY KEY, name VARCHAR(255), tag TEXT, a, b NOT NULL DEFAULT 1, c NOT NULL AS (name)'),
])('a table that can store plants: CREATE %s', (sql) => {
  expect(faultsOf(sql)).toEqual([]);
});

test.each([
  [table('id INTEGER PRIMARY KEY, NAME TEXT, tag TEXT'), 'name is missing'],
  [table('id TEXT PRIMARY KEY, name TEXT, tag TEXT'), 'id is of the type TEXT'],
  [table('id INTEGER PRIMARY KEY, name CHARINT, tag TEXT'), 'name is of the type CHARINT'],
  [table('id INTEGER PRIMARY KEY, name, tag TEXT'), 'name is of the type , not TEXT'],
  [table('id INTEGER PRIMARY KEY, name TEXT, tag TEXT NOT NULL'), 'tag is NOT NULL'],
  [table('id INTEGER PRIMARY KEY, name TEXT, tag TEXT AS (upper(name))'), 'tag is generated'],
  [table('id INTEGER PRIMARY KEY, name TEXT, tag TEXT, a NOT NULL DEFAULT NULL'), 'a is NOT NULL and has no default'],
  [table('id INTEGER UNIQUE, name TEXT, tag TEXT'), 'its primary key is not the column id'],
  [table('id INTEGER, name TEXT, tag TEXT, PRIMARY KEY (id, name)'), 'its primary key is not the column id'],
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
