import { writeFile } from 'node:fs/promises';
import { type Contestant, contestants, withServiceOf } from './contestants/contestants.ts';
import { type RunningContestant, startContestant } from './contestants/start-contestant.ts';
import { progress } from './progress.ts';
import { compareCheckouts, evaluateGoals } from './report/goals.ts';
import { describeMachine } from './report/machine.ts';
import { report } from './report/report.ts';
import type { Run } from './report/run.ts';
import { openResources, type Resources } from './resources.ts';
import { summarise } from './samples.ts';
import type { Settings } from './settings.ts';
import { missingMysql } from './stores/servers.ts';
import type { Table } from './stores/store.ts';
import { inTurn } from './suites/in-turn.ts';
import { CONNECTIONS, type SuiteName, scenariosOf, suites } from './suites/suites.ts';

/**
 * Runs the suites one after the other, prints their reports to standard output and writes the figures to a file.
 *
 * @throws {Error} if a contestant cannot be started or its figures are invalid.
 */
export async function runBenchmark(settings: Settings): Promise<void> {
  const runs: Run[] = [];
  for (const suite of settings.suite) {
    const run = await runSuite(suite, settings);
    runs.push(run);
    process.stdout.write(`${report(run)}\n\n`);
  }
  if (settings.json) await writeFile(settings.json, `${JSON.stringify(runs, null, 2)}\n`);
}

async function runSuite(suite: SuiteName, settings: Settings): Promise<Run> {
  const { contestants: usual, ...loads } = suites[suite];
  const { only = usual, against } = settings;
  const leftOut: Record<string, string> = {};
  const noMysql = missingMysql(process.env);
  const ours = contestants.filter(({ name, engine }) => {
    const reason = engine === 'mysql' ? noMysql : undefined;
    if (only.includes(name) && reason) leftOut[name] = reason;
    return only.includes(name) && !reason;
  });
  const participants = against === undefined ? ours : withServiceOf(against, ours);
  const scenarios = scenariosOf({
    connections: settings.connections ?? loads.connections,
    rates: settings.rates ?? loads.rates,
    syncDelays: settings.syncDelays ?? loads.syncDelays,
  });
  const engines = new Set(participants.flatMap(({ engine }) => engine ?? []));
  await using stack = new AsyncDisposableStack();
  const slower = scenarios.some(({ syncDelay }) => syncDelay > 0);
  const resources = await openResources(engines, slower, stack);
  const { slowSyncs, directory, stores } = resources;
  if (typeof slowSyncs === 'string' && slower)
    leftOut['a longer sync'] = `${slowSyncs}; the disk has to be slow by itself`;
  const machine = describeMachine(
    directory,
    [...stores.values()].map(({ description }) => description),
  );
  const samples = await inTurn(
    scenarios.filter(({ syncDelay }) => syncDelay === 0 || typeof slowSyncs !== 'string'),
    {
      ...settings,
      open: (ofRound) => startAll(participants, resources, settings.warmUpSeconds, ofRound),
      prepare: ({ syncDelay }) => typeof slowSyncs !== 'string' && slowSyncs.set(syncDelay),
    },
  );
  const summaries = summarise(samples);
  return {
    suite,
    machine,
    settings,
    contestants: Object.fromEntries(participants.map(({ name, description }) => [name, description])),
    leftOut,
    // Each turn begins with another contestant; the report lists them in their usual order.
    summaries: participants.flatMap(({ name }) => summaries.filter(({ contestant }) => contestant === name)),
    goals: evaluateGoals(suite, samples),
    comparison: compareCheckouts(samples),
    samples,
  };
}

/** Starts all contestants on empty tables, and warms them up: until the code is compiled and pools are filled. */
async function startAll(
  participants: readonly Contestant[],
  { stores, slowSyncs }: Resources,
  seconds: number,
  stack: AsyncDisposableStack,
): Promise<readonly RunningContestant[]> {
  const preloaded = typeof slowSyncs === 'string' ? {} : slowSyncs.environment;
  if (typeof slowSyncs !== 'string') slowSyncs.set(0);
  const tables = new Map<Contestant, Table>();
  for (const contestant of participants) {
    const table = contestant.engine && (await stores.get(contestant.engine)?.newTable());
    if (table) tables.set(contestant, stack.use(table));
  }
  // Before the first warm-up: after its checkpoint, PostgreSQL writes each page as a whole once.
  for (const table of tables.values()) await table.settle();
  const runners: RunningContestant[] = [];
  for (const contestant of participants) {
    const runner = stack.use(await startContestant(contestant, tables.get(contestant), preloaded));
    await runner.measure({ connections: CONNECTIONS, seconds });
    progress(`${runner.name} is running`);
    runners.push(runner);
  }
  return runners;
}
