import { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '@plant-store/adapters-sqlite';
import { type StoreObserver, unobserved } from '@plant-store/store-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { statementsOn } from '../src/statements.ts';
import { plantsTable } from './plants-table.ts';
import { migratedFile } from './temporary-files.ts';

const plants = ['Fern', 'Moss', 'Ivy'].map((name, at) => ({ id: BigInt(at), name }));

const trigger = (when: string, statement: string) =>
  `CREATE TRIGGER t ${when} INSERT ON plants WHEN new.name = 'Moss' BEGIN SELECT ${statement}; END`;

const deferredConstraint = `
  CREATE TABLE names (name TEXT PRIMARY KEY); INSERT INTO names VALUES ('Fern'), ('Ivy'); DROP TABLE plants;
  CREATE ${plantsTable('id INTEGER PRIMARY KEY, name TEXT REFERENCES names DEFERRABLE INITIALLY DEFERRED')}`;

const uniqueTag = `
  DROP TABLE plants; CREATE ${plantsTable(`id INTEGER PRIMARY KEY, name TEXT,
    is_fern_or_moss UNIQUE ON CONFLICT REPLACE AS (iif(name IN ('Fern', 'Moss'), 1, NULL))`)}`;

const refused = /^PlantRefused: .*: not here \(SQLite code 1811\)$/;

test.each([
  ['by a trigger that leaves it there', trigger('AFTER', `RAISE(FAIL, 'not here')`), refused],
  ['by a trigger that rolls back', trigger('BEFORE', `RAISE(ROLLBACK, 'not here')`), refused],
  ['by a trigger that ignores it', trigger('BEFORE', 'RAISE(IGNORE)'), /^PlantRefused: a trigger .* ignores the plant/],
  // The log must not show a plant.
  ['by a trigger that names it', trigger('BEFORE', `RAISE(ABORT, 'no ' || new.name)`), /^PlantRefused: (?!.*Moss)/],
  ['by an error in a trigger', trigger('AFTER', 'json(new.name)'), /^Error: malformed JSON$/],
  ['by a constraint that would replace others', uniqueTag, /^PlantRefused: .*UNIQUE constraint failed/],
  ['by the commit', deferredConstraint, /^PlantRefused: .*FOREIGN KEY constraint failed/],
])('a plant that is refused %s: the others of its batch are stored with the same write', async (_, sql, reason) => {
  const path = await migratedFile();
  using database = new DatabaseSync(path);
  database.exec(sql);
  const wrote = vi.fn<StoreObserver['wrote']>();
  const store = await openSqlite({ path, timeoutMs: 20_000, observer: { ...unobserved, wrote } });
  onTestFinished(() => store.close());
  // Adds of one turn of the event loop are one batch.
  const outcomes = plants.map((plant) => store.plants.add(plant).then(({ outcome }) => outcome, String));
  expect(await Promise.all(outcomes)).toEqual(['added', expect.stringMatching(reason), 'added']);
  expect(database.prepare('SELECT name FROM plants').all()).toEqual([{ name: 'Fern' }, { name: 'Ivy' }]);
  expect(wrote.mock.calls).toEqual([['done', 3, expect.any(Number), undefined]]);
});

test('a plant that is too large is refused alone, and a stored plant exists even if a trigger now rejects it', async () => {
  const path = await migratedFile();
  using database = new DatabaseSync(path, { limits: { length: 1_000 } });
  const { insert } = statementsOn({ path, database, assertNotReplaced() {}, warning: undefined }, 1_000);
  await insert(plants.slice(1), Infinity);
  database.exec(trigger('BEFORE', `RAISE(ABORT, 'not here')`));
  const large = { id: 9n, name: 'x'.repeat(1_001) };
  expect(await insert([large, ...plants], Infinity)).toEqual([
    { kind: 'refused', message: `${path}: string or blob too big (SQLite code 18)` },
    { done: { outcome: 'added' } },
    { done: { outcome: 'exists', plant: { name: 'Moss' } } },
    { done: { outcome: 'exists', plant: { name: 'Ivy' } } },
  ]);
});
