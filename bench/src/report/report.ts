import type { Summary } from '../samples.ts';
import type { Settings } from '../settings.ts';
import { figureCells, figureHeader, timesCell } from './figures.ts';
import type { Goal } from './goals.ts';
import type { Machine } from './machine.ts';
import { markdownTable } from './markdown-table.ts';
import type { Run } from './run.ts';

/** The report for people: the machine, the tables, the goals. Markdown. */
export function report(run: Run): string {
  const { settings, summaries, missing } = run;
  return [
    describe(run.machine),
    describeRun(settings),
    Object.entries(run.contestants)
      .map(([name, description]) => `- ${name}: ${description}`)
      .join('\n'),
    Object.entries(missing)
      .map(([name, reason]) => `**${name} was skipped**: ${reason}`)
      .join('\n'),
    ...byScenario(summaries),
    goalTable(run.goals),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function describeRun(settings: Settings): string {
  const { ids, nameBytes } = settings;
  return `${howMeasured(settings)} Ids are ${ids}, names have ${nameBytes} bytes unless stated otherwise. Latency is measured from the time at which a request was due; «late» is how much later it was sent. CPU and memory are those of the contestant's process while the connections are open. Goals: medians of ratios of two figures of one turn or round, and their quartiles. Ratios are valid within this run, absolute figures only on this machine.`;
}

function howMeasured({ rounds, seconds, warmUpSeconds }: Settings): string {
  return `Medians of ${rounds} rounds; each measurement takes ${seconds} s, in turns of at most 1 s with all other contestants, in a process that is new in each round, after at least ${warmUpSeconds} s of warm-up.`;
}

function describe({ cpu, cores, memoryBytes, system, node, servers, diskSync, loadBefore }: Machine): string {
  const parts = [
    `${cores} × ${cpu}, ${(memoryBytes / 1e9).toFixed(0)} GB, ${system}, Node ${node}`,
    ...servers,
    `fdatasync of 8 KiB p50 ${diskSync.p50.toFixed(2)} ms, p99 ${diskSync.p99.toFixed(2)} ms`,
    `load average before ${loadBefore.toFixed(1)}`,
  ];
  const warnings = [
    ...(diskSync.inMemory
      ? ['**The temporary directory is in memory, so nothing was synced: set TMPDIR to a directory on a disk.**']
      : []),
    ...(loadBefore > cores / 2 ? ['**The machine was busy with other work.**'] : []),
  ];
  return [`${parts.join('; ')}.`, ...warnings].join('\n');
}

const baselines = ['fastify-kysely', 'pgbench', 'node-http-echo'] as const;

function byScenario(summaries: readonly Summary[]): readonly string[] {
  return [...Map.groupBy(summaries, ({ scenario }) => scenario)].map(([scenario, group]) => {
    const others = baselines.map((name) => group.find(({ contestant }) => contestant === name));
    return section(scenario, [
      ['contestant', ...figureHeader, ...baselines.map((name) => `× ${name}`)],
      ...group.map((summary) => [
        summary.contestant,
        ...figureCells(summary),
        ...others.map((other) => timesCell(summary, other)),
      ]),
    ]);
  });
}

function section(title: string, [header = [], ...rows]: readonly (readonly string[])[]): string {
  return `## ${title}\n\n${markdownTable(header, rows)}`;
}

function goalTable(goals: readonly Goal[]): string {
  if (goals.length === 0) return '';
  return section('Goals', [
    ['ratio', 'wanted', 'measured', 'quartiles', ''],
    ...goals.map(({ title, wanted, ratio, lowerQuartile, upperQuartile, met }) => [
      title,
      wanted,
      ratio.toFixed(2),
      `${lowerQuartile.toFixed(2)} to ${upperQuartile.toFixed(2)}`,
      met ? '✓' : '✗',
    ]),
  ]);
}
