import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Load } from '../load/load.ts';
import { plantName } from '../load/plant-request.ts';
import type { Table } from '../stores/table.ts';
import type { Contestant } from './contestant.ts';
import type { Measurement } from './measurement.ts';

const run = promisify(execFile);

/** PostgreSQL's own benchmark: single inserts without any HTTP. */
export const pgbench: Contestant = {
  name: 'pgbench',
  description: 'pgbench, one prepared INSERT per transaction, no HTTP',
  engine: 'postgres',
  missing: () =>
    program() === undefined
      ? 'pgbench is neither on PATH nor in /usr/lib/postgresql: install postgresql-contrib or set BENCH_PGBENCH'
      : undefined,
  async start({ table }) {
    const path = program();
    if (!path || !table) throw new Error('pgbench needs its program and a table');
    return { measure: (load) => measure(path, table, load), stop: async () => {} };
  },
};

/** `BENCH_PGBENCH`, otherwise the one on PATH, otherwise Debian's newest, which is not on PATH. */
function program(): string | undefined {
  const given = process.env['BENCH_PGBENCH'];
  if (given) return existsSync(given) ? given : undefined;
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, 'pgbench'));
  const ofDebian = globSync('/usr/lib/postgresql/*/bin/pgbench').sort(byVersion);
  return [...onPath, ...ofDebian].find((path) => existsSync(path));
}

function byVersion(one: string, other: string): number {
  return other.localeCompare(one, 'en', { numeric: true });
}

/** Supports only a closed loop of random ids: other loads would not be comparable. */
async function measure(path: string, table: Table, load: Load): Promise<Measurement | undefined> {
  if (load.rate !== undefined || load.requests !== undefined) return undefined;
  if (load.duplicates > 0 || load.ids !== 'random') return undefined;
  const rowsBefore = await table.count();
  const running = run(path, [
    ...['--no-vacuum', '--protocol=prepared', '--file=-', `--client=${load.connections}`],
    ...[`--jobs=${Math.min(2, load.connections)}`, `--time=${Math.ceil(load.seconds)}`, table.url],
  ]);
  running.child.stdin?.end(script(load));
  const { stdout } = await running;
  const done = Number(/actually processed: (\d+)/.exec(stdout)?.[1]);
  const requestsPerSecond = Number(/tps = ([\d.]+) \(without/.exec(stdout)?.[1]);
  const rowsAdded = (await table.count()) - rowsBefore;
  if (rowsAdded !== done) throw new Error(`pgbench reports ${done} inserts, but the table has ${rowsAdded} more rows`);
  return { requestsPerSecond, outcomes: { committed: done }, rowsAdded };
}

function script({ nameBytes }: Load): string {
  const name = plantName(nameBytes);
  return `\\set id random(100000000000000000, 999999999999999999)\nINSERT INTO plants (id, name, tag) VALUES (:id, '${name}', 'indoor');\n`;
}
