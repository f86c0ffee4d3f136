import type { Summary } from '../samples.ts';

const PANEL_WIDTH = 520;
const PANEL_HEIGHT = 150;
const LEFT = 64;
const TOP = 64;
const GAP = 44;

interface Panel {
  readonly title: string;
  readonly figure: (summary: Summary) => number | undefined;
}

const panels: readonly Panel[] = [
  { title: 'p50, ms', figure: ({ p50 }) => p50 },
  { title: 'p99, ms', figure: ({ p99 }) => p99 },
  { title: 'CPU per request, ms', figure: ({ cpuPer1000 }) => cpuPer1000 },
];

/** Figures over the rate of requests, a line for each contestant, as SVG. Both axes are logarithmic. */
export function curves(title: string, summaries: readonly Summary[]): string {
  const series = [...Map.groupBy(summaries, ({ contestant }) => contestant)];
  const width = LEFT + PANEL_WIDTH + 24;
  const height = TOP + panels.length * (PANEL_HEIGHT + GAP);
  const rates = [...new Set(summaries.flatMap(({ rate }) => rate ?? []))].toSorted((one, other) => one - other);
  const x = scale(rates, LEFT, LEFT + PANEL_WIDTH);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">
<style>
${palette}
.grid { stroke: #8c959f; stroke-opacity: .3 }
polyline { fill: none; stroke-width: 2 }
</style>
<text class="title" x="8" y="20">${escapeXml(title)}</text>
${series.map(([name], at) => legend(name, at)).join('\n')}
${panels.map((panel, at) => drawPanel(panel, TOP + at * (PANEL_HEIGHT + GAP), series, rates, x)).join('\n')}
</svg>
`;
}

function legend(name: string, at: number): string {
  const x = 8 + at * 200;
  return `<line class="line${at}" x1="${x}" x2="${x + 20}" y1="38" y2="38" stroke-width="2"/><text x="${x + 26}" y="42">${escapeXml(name)}</text>`;
}

type Scale = (value: number) => number;

function drawPanel(
  { title, figure }: Panel,
  top: number,
  series: readonly (readonly [string, readonly Summary[]])[],
  rates: readonly number[],
  x: Scale,
): string {
  const values = series.flatMap(([, summaries]) => summaries.flatMap((summary) => figure(summary) ?? []));
  const y = scale(values, top + PANEL_HEIGHT, top + 16);
  const lines = series.map(([, summaries], at) => {
    const points = summaries.flatMap((summary) => {
      const value = figure(summary);
      return value === undefined || summary.rate === undefined
        ? []
        : [`${x(summary.rate).toFixed(1)},${y(value).toFixed(1)}`];
    });
    return `<polyline class="line${at}" points="${points.join(' ')}"/>`;
  });
  return [
    `<text class="title" x="${LEFT}" y="${top + 4}">${title}</text>`,
    ...ticks(values).map(
      (tick) =>
        `<line class="grid" x1="${LEFT}" x2="${LEFT + PANEL_WIDTH}" y1="${y(tick).toFixed(1)}" y2="${y(tick).toFixed(1)}"/><text x="${LEFT - 6}" y="${(y(tick) + 4).toFixed(1)}" text-anchor="end">${tick}</text>`,
    ),
    ...rates.map(
      (rate) =>
        `<text x="${x(rate).toFixed(1)}" y="${top + PANEL_HEIGHT + 18}" text-anchor="middle">${rate >= 1_000 ? `${rate / 1_000}k` : rate}</text>`,
    ),
    ...lines,
  ].join('\n');
}

/** A logarithmic scale over all values, from one end to the other. */
function scale(values: readonly number[], from: number, to: number): Scale {
  const [least, most] = [Math.log(Math.min(...values)), Math.log(Math.max(...values))];
  const span = most - least || 1;
  return (value) => from + ((Math.log(value) - least) / span) * (to - from);
}

/** 1, 2 and 5 of each power of ten, as far as they are in the range of the values. */
function ticks(values: readonly number[]): readonly number[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const all: number[] = [];
  for (let power = -4; power <= 5; power += 1)
    for (const digit of [1, 2, 5]) all.push(Number((digit * 10 ** power).toPrecision(1)));
  return all.filter((tick) => tick >= least && tick <= most);
}

/** The style: readable on a light and on a dark page. */
const palette = `text { font: 13px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600 }
.line0 { stroke: #1a7f37 }
.line1 { stroke: #8c959f }
.line2 { stroke: #0969da }
.line3 { stroke: #bc4c00 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.line0 { stroke: #3fb950 }
.line2 { stroke: #58a6ff }
.line3 { stroke: #f0883e }
}`;

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
