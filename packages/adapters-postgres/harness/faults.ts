import type { PostgresOptions } from '../src/store.ts';
import { runSql } from './run-sql.ts';

/** Each changes the table so that plants would be lost or changed, and resolves with a function that reverts it. */
export const faults = {
  // The type pads texts with spaces.
  'a column of another type': alter('ALTER name TYPE character(999)', 'ALTER name TYPE text'),
  'a further column that is NOT NULL': alter(
    "ADD planted_by text NOT NULL DEFAULT 'nobody', ALTER planted_by SET DEFAULT NULL",
    'DROP planted_by',
  ),
  'a table that is not logged': alter('SET UNLOGGED', 'SET LOGGED'),
  'a trigger that trims a text': act('BEFORE', 'NEW.name := trim(NEW.name)'),
  'a trigger that ignores plants': act('BEFORE', 'RETURN NULL'),
  'a trigger that changes a plant later': act('AFTER', 'UPDATE plants SET tag = upper(tag) WHERE id = NEW.id'),
  'a deferred trigger that deletes plants': act(
    'AFTER',
    'DELETE FROM plants WHERE id = NEW.id',
    'CONSTRAINT',
    'DEFERRABLE INITIALLY DEFERRED',
  ),
  'a rule that inserts nothing': plant(
    'CREATE RULE act AS ON INSERT TO plants DO INSTEAD NOTHING',
    'DROP RULE act ON plants',
  ),
};

function alter(change: string, back: string) {
  return plant(`ALTER TABLE plants ${change}`, `ALTER TABLE plants ${back}`);
}

/** A trigger that runs a statement for each row. */
function act(when: string, statement: string, kind = '', deferred = '') {
  return plant(
    `CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement}; RETURN NEW; END $$;
     CREATE ${kind} TRIGGER act ${when} INSERT ON plants ${deferred} FOR EACH ROW EXECUTE FUNCTION act()`,
    'DROP FUNCTION act CASCADE',
  );
}

function plant(change: string, back: string) {
  return async ({ connectionString }: PostgresOptions) => {
    await runSql(connectionString, change);
    return async () => void (await runSql(connectionString, back));
  };
}
