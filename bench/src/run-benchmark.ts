import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contestants } from './contestants/contestants.ts';
import { startContestant } from './contestants/start-contestant.ts';
import { describeRun } from './describe-run.ts';
import type { Load } from './load/apply-load.ts';
import { report, type Sample } from './report.ts';
import { startPostgres } from './stores/postgres.ts';
import { slowSyncs } from './stores/slow-syncs.ts';
import { newSqliteTable } from './stores/sqlite.ts';

/** The options of a run, whose defaults are in `main.ts`. */
export interface Settings {
  readonly only: readonly string[];
  readonly rates: readonly number[];
  readonly connections: readonly number[];
  readonly syncDelay: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly output: string;
}

/** The number of connections at a constant rate. */
const CONNECTIONS = 64;
/** The load before a measurement, during which code is compiled and pools are filled. */
const WARM_UP: Load = { connections: CONNECTIONS, seconds: 3 };

/**
 * Measures, prints the tables and appends them to a file.
 *
 * The contestants take turns of a second under each load, because a shared machine can be half as fast a second later. Each round
 * has new processes and empty tables. All processes run at the same time, but only one has a load.
 *
 * @throws {Error} if a contestant cannot be started or its figures are invalid.
 */
export async function runBenchmark(settings: Settings): Promise<void> {
  const { rounds, seconds, output } = settings;
  await using stack = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  // PostgreSQL may run as another user.
  chmodSync(directory, 0o755);
  const preloaded = slowSyncs(directory, settings.syncDelay);
  progress('starting PostgreSQL');
  Object.assign(process.env, preloaded);
  const postgres = stack.use(await startPostgres());
  delete process.env['LD_PRELOAD'];
  const newTable = { postgres: postgres.newTable, sqlite: () => newSqliteTable(directory) };
  const turns = `${rounds * seconds} turns of 1 s in ${rounds} rounds`;
  const about = describeRun(directory, postgres.about, turns, settings.syncDelay);
  const samples: Sample[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    await using ofRound = new AsyncDisposableStack();
    const running = [];
    for (const contestant of contestants.filter(({ name }) => settings.only.includes(name))) {
      progress(`round ${round} of ${rounds}: ${contestant.name} warms up`);
      const table = contestant.store && (await newTable[contestant.store]());
      running.push(ofRound.use(await startContestant(contestant, table, preloaded)));
      await running.at(-1)?.measure(WARM_UP);
    }
    for (const [name, load] of loadsOf(settings))
      for (let turn = 1; turn <= seconds; turn += 1) {
        progress(`round ${round} of ${rounds}: ${name}, ${turn} of ${seconds} s`);
        // Each turn begins with another contestant.
        const first = (round + turn) % running.length;
        for (const { name: contestant, measure } of [...running.slice(first), ...running.slice(0, first)])
          samples.push({ contestant, load: name, figures: await measure(load) });
      }
  }
  const tables = report(about, samples);
  process.stdout.write(tables);
  await appendFile(output, tables);
  progress(`appended to ${output}`);
}

function loadsOf({ rates, connections }: Settings): readonly (readonly [name: string, load: Load])[] {
  const open = rates.map((rate) => [`${rate} requests/s`, { connections: CONNECTIONS, rate, seconds: 1 }] as const);
  const closed = connections.map((count) => [`${count} connections`, { connections: count, seconds: 1 }] as const);
  return [...open, ...closed].filter(([name]) => !name.startsWith('0 '));
}

/** Prints progress on standard error, because standard output has the tables. */
function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
