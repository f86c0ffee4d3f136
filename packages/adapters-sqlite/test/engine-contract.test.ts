import { DatabaseSync } from 'node:sqlite';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { type AddResult, type NewPlant, StoreUnavailable } from '@plant-store/domain';
import { type EngineHarness, engineContract } from '@plant-store/group-commit/contract';
import { deserializeError } from '../src/errors.ts';
import { completeOptions } from '../src/options.ts';
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
      async open() {
        const writer = openWriter(completeOptions({ path, timeoutMs: 10_000 }));
        return {
          async write(plants, deadline) {
            const written = await writer.call('insert', plants, deadline - performance.now());
            return written.map((each) => ('done' in each ? each : { refused: deserializeError(each) }));
          },
          probe: () => writer.call('probe'),
          close: () => writer.end(),
        };
      },
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

// Nothing locks a single row.
describeContract(engineContract, harness, { notChecked: ['GE-8', 'GE-9'] });
