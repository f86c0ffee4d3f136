import { DatabaseSync } from 'node:sqlite';
import { sqliteStorage } from '@plant-store/adapters-sqlite';
import { textFields } from '@plant-store/domain';
import { expect, onTestFinished, test } from 'vitest';
import { migratedFile } from './temporary-files.ts';

const plants = ['Fern', 'Moss', 'Ivy'].map((name, at) => ({ id: BigInt(at), name }));

const trigger = (when: string, statement: string) =>
  `CREATE TRIGGER t ${when} INSERT ON plants WHEN new.name = 'Moss' BEGIN SELECT ${statement}; END`;

const columns = (ofName: string) =>
  `id INTEGER PRIMARY KEY, ${textFields.map((field) => `${field} TEXT ${field === 'name' ? ofName : ''}`)}`;

/** Moss takes the place of Fern if the conflict clause applies. */
const REPLACING = `
  DROP TABLE plants; CREATE TABLE plants (${columns('NOT NULL')},
    is_fern_or_moss UNIQUE ON CONFLICT REPLACE AS (iif(name IN ('Fern', 'Moss'), 1, NULL)))`;

const AT_COMMIT = `
  CREATE TABLE names (name TEXT PRIMARY KEY); INSERT INTO names VALUES ('Fern'), ('Ivy'), (''), ('plain');
  DROP TABLE plants; CREATE TABLE plants (${columns('REFERENCES names DEFERRABLE INITIALLY DEFERRED')})`;

const refused = /^PlantRefused: .*: a constraint or trigger refuses the plant \(SQLite code \d+\)$/;

test.each([
  ['by a trigger that rolls back', trigger('BEFORE', `RAISE(ROLLBACK, 'not here')`), refused],
  ['by a trigger that ignores it', trigger('BEFORE', 'RAISE(IGNORE)'), /^PlantRefused: the table plants ignores/],
  ['by an error in a trigger', trigger('AFTER', 'json(new.name)'), refused],
  ['by one that quotes the plant', trigger('AFTER', `json_extract('{}', 'no such table: ' || new.name)`), refused],
  [
    'by a value of another type in a trigger',
    `CREATE TABLE ids (id INTEGER PRIMARY KEY); CREATE TRIGGER t AFTER INSERT ON plants WHEN new.name = 'Moss'
      BEGIN INSERT INTO ids VALUES (new.name); END`,
    refused,
  ],
  ['by a constraint that would replace others', REPLACING, refused],
  ['by the commit', AT_COMMIT, refused],
])('P3/F6 a plant that is refused %s: the others of its batch are stored', async (_, sql, reason) => {
  const path = await migratedFile();
  using database = new DatabaseSync(path);
  database.exec(sql);
  const store = await sqliteStorage({ path, timeoutMs: 20_000 }).open();
  onTestFinished(() => store.close());
  // Adds of one turn of the event loop are one batch.
  const outcomes = plants.map((plant) => store.plants.add(plant).then(({ outcome }) => outcome, String));
  expect(await Promise.all(outcomes)).toEqual(['added', expect.stringMatching(reason), 'added']);
  expect(database.prepare('SELECT name FROM plants').all()).toEqual([{ name: 'Fern' }, { name: 'Ivy' }]);
});
