import { DatabaseSync } from 'node:sqlite';
import { type EngineHarness, engineContract } from '@plant-store/contracts-engines';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { type AddResult, type NewPlant, StoreUnavailable } from '@plant-store/domain';
import { completeOptions } from '../src/options.ts';
import { sqliteEngine } from '../src/store.ts';
import { openWriter } from '../src/writer.ts';
import { migratedFile } from './temporary-files.ts';

const harness: EngineHarness<NewPlant, AddResult> = {
  async prepare() {
    const path = await migratedFile();
    const run = (sql: string) => {
      const database = new DatabaseSync(path, { timeout: 5_000 });
      database.exec(sql);
      return async () => database.close();
    };
    const refuse = "BEFORE INSERT ON plants WHEN new.id = 666 BEGIN SELECT RAISE(ABORT, 'refused'); END";
    await run(`CREATE TRIGGER refuse ${refuse}`)();
    const item = (number: number, name: string) => ({ id: BigInt(number), name });
    return {
      Unavailable: StoreUnavailable,
      open: async () => sqliteEngine(openWriter(completeOptions({ path, timeoutMs: 10_000 }))),
      item,
      async stored() {
        using database = new DatabaseSync(path, { readOnly: true });
        const rows = database.prepare('SELECT id, name FROM plants').all();
        return rows.map(({ id, name }) => ({ number: Number(id), text: String(name) }));
      },
      dispose: async () => {},
      existing: (result) => (result.outcome === 'exists' ? result.plant.name : undefined),
      refused: item(666, 'refused'),
      outages: { 'another process writes': async () => run('BEGIN IMMEDIATE') },
    };
  },
};

// SQLite does not lock single rows. It writes in a process of its own, whose responses no proxy can lose.
describeContract(engineContract, harness, { notChecked: ['GE-3', 'GE-8', 'GE-9'] });
