import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contestants } from './contestants/contestants.ts';
import { type RunningContestant, startContestant } from './contestants/start-contestant.ts';
import { curve } from './curve.ts';
import { describeRun } from './describe-run.ts';
import type { Load } from './load/apply-load.ts';
import { type Figures, report, type Sample } from './report.ts';
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
  readonly maxLag: number;
  readonly output: string;
  readonly curve?: string;
}

/** The number of connections at a constant rate. */
const CONNECTIONS = 64;
/** The load before a measurement, during which code is compiled and pools are filled. */
const WARM_UP: Load = { connections: CONNECTIONS, seconds: 3 };

/** A part of a second in which idle processes, connections and estimates get used to a load. */
const LEAD_IN_SECONDS = 0.5;
/** How often a turn is measured in which the load generator is late, because other work uses the machine. */
const ATTEMPTS = 3;

/**
 * Measures, prints the tables, appends them to a file, and draws the curve.
 *
 * The contestants take turns under each load, because a shared machine can be half as fast a few seconds later. Each round has new
 * processes and empty tables. All processes run at the same time, but only one has a load. Heavy loads come first, so
 * that their code is compiled when light ones are measured.
 *
 * @throws {Error} if a contestant cannot be started or its figures are invalid.
 */
export async function runBenchmark(settings: Settings): Promise<void> {
  const { rounds, seconds, maxLag, output } = settings;
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
  const turns = `${rounds} turns of ${seconds} s, each in a round of its own`;
  const about = describeRun(directory, postgres.about, turns, settings.syncDelay);
  const loads = loadsOf(settings);
  const samples: Sample[] = [];
  const late: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    await using ofRound = new AsyncDisposableStack();
    const running = [];
    for (const contestant of contestants.filter(({ name }) => settings.only.includes(name))) {
      progress(`round ${round} of ${rounds}: ${contestant.name} warms up`);
      const table = contestant.store && (await newTable[contestant.store]());
      running.push(ofRound.use(await startContestant(contestant, table, preloaded)));
      await running.at(-1)?.measure(WARM_UP);
    }
    for (const [at, [name, load]] of [...loads].reverse().entries()) {
      progress(`round ${round} of ${rounds}: ${name}`);
      // Each turn begins with another contestant.
      const first = (round + at) % running.length;
      for (const contestant of [...running.slice(first), ...running.slice(0, first)]) {
        const { name: of } = contestant;
        const figures = await measureInTime(contestant, load, maxLag);
        if (figures) samples.push({ contestant: of, load: name, rate: load.rate, turn: round, figures });
        else late.push(`${name} of ${of} in round ${round}`);
      }
    }
  }
  const uncounted = `- Turns without a figure, because the load generator was late by ${maxLag} ms: ${late.join('; ') || 'none'}`;
  const tables = report(`${about}\n${uncounted}`, samples.toReversed());
  process.stdout.write(tables);
  await appendFile(output, tables);
  progress(`appended to ${output}`);
  if (settings.curve) await writeFile(settings.curve, curve(samples));
}

/** Repeats a turn in which the load generator was late. Undefined if it was late each time. */
async function measureInTime(
  { name, measure }: RunningContestant,
  load: Load,
  maxLag: number,
): Promise<Figures | undefined> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const figures = await measure(load);
    const { 'lag ms': lag = Number.NaN } = figures;
    if (!(lag > maxLag)) return figures;
    progress(`the load generator was late by ${lag.toFixed(2)} ms with ${name}`);
  }
  return undefined;
}

function loadsOf({ rates, connections, seconds }: Settings): readonly (readonly [name: string, load: Load])[] {
  const turn = { seconds, leadInSeconds: LEAD_IN_SECONDS };
  const open = rates.map((rate) => [`${rate} requests/s`, { connections: CONNECTIONS, rate, ...turn }] as const);
  const closed = connections.map((count) => [`${count} connections`, { connections: count, ...turn }] as const);
  return [...open, ...closed].filter(([name]) => !name.startsWith('0 '));
}

/** Prints progress on standard error, because standard output has the tables. */
function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
