import type { Figures, Summary } from '../samples.ts';
import type { Settings } from '../settings.ts';
import { suites } from '../suites/suites.ts';
import type { Ratio } from './goals.ts';
import type { Machine } from './machine.ts';
import { markdownTable } from './markdown-table.ts';
import type { Run } from './run.ts';

const columns: readonly (readonly [title: string, figure: keyof Figures, digits: number])[] = [
  ['requests/s', 'requestsPerSecond', 0],
  ['p50 ms', 'p50', 2],
  ['p99 ms', 'p99', 2],
  ['late p99 ms', 'lateP99', 2],
  ['CPU µs a request', 'cpu', 0],
  ['RSS MB', 'rss', 0],
];

/** The report for people: the machine, the tables, the goals. Markdown. */
export function report({ suite, settings, machine, contestants, leftOut, ...run }: Run): string {
  const { about, baseline } = suites[suite];
  return [
    `# ${suite}: ${about}`,
    describe(machine),
    describeRun(settings),
    Object.entries(contestants)
      .map(([name, description]) => `- ${name}: ${description}`)
      .join('\n'),
    Object.entries(leftOut)
      .map(([name, reason]) => `**${name} left out**: ${reason}`)
      .join('\n'),
    ...[...Map.groupBy(run.summaries, ({ scenario }) => scenario)].map(
      ([scenario, group]) => `## ${scenario}\n\n${figureTable(group, baseline)}`,
    ),
    ratioTable('Goals', run.goals),
    ratioTable('Against the other checkout', run.comparison),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function describe({ cpu, cores, memoryBytes, system, node, stores, diskSync, loadBefore }: Machine): string {
  const parts = [
    `${cores} × ${cpu}, ${(memoryBytes / 1e9).toFixed(0)} GB, ${system}, Node ${node}`,
    ...stores,
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

function describeRun({ rounds, seconds, warmUpSeconds }: Settings): string {
  return `Medians of ${rounds} rounds. Each measurement takes ${seconds} s, in turns of at most 1 s with all other contestants, in a process that is new in each round, after at least ${warmUpSeconds} s of warm-up. Latency is measured from the time at which a request was due; «late» is how much later it was sent. CPU and memory are those of the contestant's process. A goal is the median of ratios of two figures of one turn, with its quartiles. Ratios are valid within this run, absolute figures only on this machine.`;
}

function figureTable(group: readonly Summary[], baseline: string): string {
  const base = group.find(({ contestant }) => contestant === baseline)?.figures.requestsPerSecond;
  return markdownTable(
    ['contestant', ...columns.map(([title]) => title), `× ${baseline}`, 'responses'],
    group.map(({ contestant, figures, outcomes }) => [
      contestant,
      ...columns.map(([, figure, digits]) => formatted(figures[figure], digits)),
      base === undefined ? '' : formatted(figures.requestsPerSecond / base, 2),
      Object.entries(outcomes)
        .map(([outcome, count]) => `${outcome}: ${count.toLocaleString('en')}`)
        .join(', '),
    ]),
  );
}

function ratioTable(title: string, ratios: readonly Ratio[]): string {
  if (ratios.length === 0) return '';
  const rows = ratios.map(({ scenario, figure, of, against, quartiles: [lower, median, upper], wanted = '', met }) => [
    `${scenario}: ${columns.find(([, name]) => name === figure)?.[0]} of ${of} against ${against}`,
    wanted,
    median.toFixed(2),
    `${lower.toFixed(2)} to ${upper.toFixed(2)}`,
    met === undefined ? '' : met ? '✓' : '✗',
  ]);
  return `## ${title}\n\n${markdownTable(['ratio', 'wanted', 'measured', 'quartiles', 'met'], rows)}`;
}

function formatted(value: number | undefined, digits: number): string {
  return value === undefined
    ? ''
    : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
