import { spawnSync } from 'node:child_process';
import { chmodSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import type { Load } from './apply-load.ts';
import { contestants } from './contestants.ts';
import { curve } from './curve.ts';
import { newSqliteDatabase, slowSyncs, startPostgres } from './databases.ts';
import { report, type Sample } from './report.ts';
import { startContestant } from './start-contestant.ts';

/** The options of a run, whose defaults are in `main.ts`. */
export interface Settings {
  readonly only: readonly string[];
  readonly rates: readonly number[];
  readonly connections: readonly number[];
  readonly syncDelay: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly output: string;
  readonly curve?: string;
}

/** The number of connections at a constant rate. */
const CONNECTIONS = 64;
/** The load before a measurement, during which code is compiled and pools are filled. After 8 s the CPU of a request no longer falls. */
const WARM_UP: Load = { connections: CONNECTIONS, seconds: 8 };
/** A part of a second in which idle processes, connections and estimates get used to a load. */
const LEAD_IN_SECONDS = 0.5;
/** How late the load generator may be in a turn that counts, as a mean. If it is later, other work used the cores. */
const MAX_LAG_MS = 0.3;

/**
 * Measures, prints the table, appends it to a file, and draws the curve.
 *
 * The contestants take turns under each load, because a shared machine can be half as fast a few seconds later. Each round has new
 * processes and databases. All processes run at the same time, but only one has a load. Heavy loads come first, so that their code
 * is compiled when light ones are measured. A turn in which the load generator was late is left out and named.
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
  const newDatabase = { postgres: postgres.newDatabase, sqlite: () => newSqliteDatabase(directory) };
  const turns = `${rounds} turns of ${seconds} s, each in a round of its own`;
  const about = describeRun(directory, postgres.about, turns, settings.syncDelay);
  const measured = contestants.filter(({ name }) => settings.only.includes(name));
  const loads = listLoads(settings);
  const samples: Sample[] = [];
  const late: string[] = [];
  for (let turn = 1; turn <= rounds; turn += 1) {
    await using ofRound = new AsyncDisposableStack();
    const running = [];
    for (const contestant of measured) {
      progress(`round ${turn} of ${rounds}: ${contestant.name} warms up`);
      const database = contestant.store && (await newDatabase[contestant.store]());
      const started = ofRound.use(await startContestant(contestant, database, preloaded));
      running.push({ contestant: contestant.name, store: contestant.store, measure: started.measure });
      await started.measure(WARM_UP);
    }
    for (const [at, [name, load]] of [...loads].reverse().entries()) {
      progress(`round ${turn} of ${rounds}: ${name}`);
      // Each turn begins with another contestant.
      const first = (turn + at) % running.length;
      for (const { measure, ...of } of [...running.slice(first), ...running.slice(0, first)]) {
        const figures = await measure(load);
        const isLate = (figures['lag ms'] ?? Number.NaN) > MAX_LAG_MS;
        if (isLate) late.push(`${name} of ${of.contestant} in round ${turn}`);
        else samples.push({ ...of, load: name, rate: load.rate, turn, figures });
      }
    }
  }
  const leftOut = `- Turns left out, because the load generator was late by ${MAX_LAG_MS} ms: ${late.join('; ') || 'none'}`;
  // Light loads first, and in each of them the contestants in their order.
  const ordered = loads.flatMap(([name]) =>
    measured.flatMap((by) => samples.filter(({ load, contestant }) => load === name && contestant === by.name)),
  );
  const table = report(`${about}\n${leftOut}`, ordered);
  process.stdout.write(table);
  await appendFile(output, table);
  progress(`appended to ${output}`);
  if (settings.curve) await writeFile(settings.curve, curve(ordered));
}

function listLoads({ rates, connections, seconds }: Settings): readonly (readonly [name: string, load: Load])[] {
  const turn = { seconds, leadInSeconds: LEAD_IN_SECONDS };
  const open = rates.map((rate) => [`${rate} requests/s`, { connections: CONNECTIONS, rate, ...turn }] as const);
  const closed = connections.map((count) => [`${count} connections`, { connections: count, ...turn }] as const);
  return [...open, ...closed].filter(([name]) => !name.startsWith('0 '));
}

/** Prints progress on standard error, because standard output has the table. */
function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Describes the commit, the machine, the databases, their disk and the run as a Markdown list. */
function describeRun(directory: string, postgres: string, turns: string, syncDelay: number): string {
  const commit = spawnSync('git', ['describe', '--always', '--dirty', '--exclude=*'], { encoding: 'utf8' });
  const cores = availableParallelism();
  const [busy = 0] = loadavg();
  return [
    `- Commit ${commit.stdout?.trim() || 'unknown'}, Node ${process.version}`,
    `- ${postgres}; SQLite ${process.versions['sqlite']}, WAL, synchronous=FULL`,
    `- ${cores} × ${cpus()[0]?.model}, ${(totalmem() / 1e9).toFixed(0)} GB, ${type()} ${release()}`,
    `- Load average before the run ${busy.toFixed(1)}${busy > cores / 2 ? ': **other work used the machine**' : ''}`,
    `- A sync of 8 KiB takes ${syncMs(directory).toFixed(2)} ms, and in the databases ${syncDelay} ms more`,
    `- Medians of ${turns}; latency counts from when a request was due`,
    '- CPU time a request, of all processes of the contestant and of the database server',
  ].join('\n');
}

/** The mean time of a sync in milliseconds. Almost 0 if the directory is in memory. */
function syncMs(directory: string): number {
  const file = openSync(join(directory, 'sync-probe'), 'w');
  const start = performance.now();
  for (let sync = 0; sync < 200; sync += 1) {
    writeSync(file, Buffer.alloc(8_192, 1), 0, 8_192, 0);
    fdatasyncSync(file);
  }
  return (performance.now() - start) / 200;
}
