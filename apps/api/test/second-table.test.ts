import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { scratchDirectory } from './running-service.ts';
import { keepsASecondTable } from './second-table.ts';

const place = async () => join(await scratchDirectory(onTestFinished), 'seeds.db');

keepsASecondTable('sqlite', place, (path, sql) => {
  using database = new DatabaseSync(path);
  database.exec(sql);
});

keepsASecondTable(
  'memory',
  async () => '',
  () => {},
);
