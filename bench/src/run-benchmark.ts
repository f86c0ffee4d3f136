import { writeFile } from 'node:fs/promises';
import type { Contestant } from './contestants/contestant.ts';
import { contestants, withServiceOf } from './contestants/contestants.ts';
import { progress } from './progress.ts';
import { evaluateGoals } from './report/goals.ts';
import { describeMachine } from './report/machine.ts';
import { report } from './report/report.ts';
import type { Run } from './report/run.ts';
import { openResources, type Resources } from './resources.ts';
import { type Sample, summarise } from './samples.ts';
import type { Settings, SuiteName } from './settings.ts';
import { compare } from './suites/comparison.ts';
import { measureOpenLoop } from './suites/open-loop.ts';

/**
 * Runs a suite, prints its report to standard output and writes the requested file.
 *
 * @throws {Error} if a contestant cannot be started or its figures are invalid.
 */
export async function runBenchmark(settings: Settings, json: string | undefined): Promise<void> {
  const { names, suite } = suites[settings.suite];
  const { against, only = names } = settings;
  const ours = contestants.filter(({ name }) => only.includes(name));
  const chosen = against === undefined ? ours : withServiceOf(against, ours);
  const missing = chosen.flatMap((contestant) => {
    const reason = contestant.missing?.();
    return reason === undefined ? [] : [[contestant.name, reason] as const];
  });
  const participants = chosen.filter((contestant) => contestant.missing?.() === undefined);
  for (const [name, reason] of missing) progress(`${name} is skipped: ${reason}`);

  const resources = await openResources(participants);
  try {
    const machine = describeMachine(
      resources.directory,
      resources.servers.map(({ description }) => description),
    );
    const samples = await suite(participants, settings, resources);
    const summaries = inOrder(participants, summarise(samples));
    const run: Run = {
      machine,
      settings,
      contestants: Object.fromEntries(participants.map(({ name, description }) => [name, description])),
      missing: Object.fromEntries(missing),
      summaries,
      goals: evaluateGoals(samples),
      samples,
    };
    process.stdout.write(`${report(run)}\n`);
    if (json) await writeFile(json, `${JSON.stringify(run, null, 2)}\n`);
  } finally {
    await resources.release();
  }
}

type Suite = (
  contestants: readonly Contestant[],
  settings: Settings,
  resources: Resources,
) => Promise<readonly Sample[]>;

/** The suites, with their default contestants. */
const suites: Readonly<Record<SuiteName, { readonly names: readonly string[]; readonly suite: Suite }>> = {
  comparison: { names: contestants.map(({ name }) => name), suite: compare },
  'open-loop': { names: ['service-postgres', 'fastify-kysely'], suite: measureOpenLoop },
};

/** Each turn begins with another contestant; the report lists them in their usual order. */
function inOrder<Item extends { readonly contestant: string }>(
  order: readonly Contestant[],
  items: readonly Item[],
): readonly Item[] {
  return order.flatMap(({ name }) => items.filter(({ contestant }) => contestant === name));
}
