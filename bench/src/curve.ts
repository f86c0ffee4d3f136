import { contestants } from './contestants/contestants.ts';
import { type Figures, medians, type Sample } from './report.ts';

/** A contestant sustains a rate if it makes this share of it. */
const SUSTAINED = 0.98;

const panels: readonly { readonly title: string; of(figures: Figures): number | undefined }[] = [
  { title: 'p50 (ms)', of: (figures) => figures['p50 ms'] },
  { title: 'p99 (ms)', of: (figures) => figures['p99 ms'] },
  {
    title: 'CPU with PostgreSQL (µs a request)',
    of: (figures) => (figures['CPU µs'] ?? 0) + (figures['database CPU µs'] ?? 0),
  },
];

/** Grey, and colours of Okabe and Ito, which colour-blind readers can tell apart, on white and on black. */
const colours = ['#888', '#56b4e9', '#e69f00', '#009e73', '#cc79a7', '#d55e00'];
const [width, height, top, bottom] = [280, 250, 50, 210];

type Scale = (value: number) => number;
type Point = readonly [rate: number, value: number];
interface Line {
  readonly name: string;
  readonly colour: string | undefined;
  /** The medians at each rate that it sustains. */
  readonly figures: readonly (readonly [rate: number, figures: Figures])[];
}

/**
 * Draws the figures by rate as an SVG with logarithmic axes. A contestant has no point at a rate that it does not sustain.
 *
 * @throws {Error} if there are not two rates, or no contestant with a database sustains one.
 */
export function curve(samples: readonly Sample[]): string {
  const rates = [...new Set(samples.flatMap(({ rate = [] }) => rate))].toSorted((one, other) => one - other);
  const stored = contestants.filter(({ store }) => store !== undefined);
  const lines = stored.flatMap(({ name }, at): readonly Line[] => {
    const figures = rates.flatMap((rate): Line['figures'] => {
      const turns = samples.filter((sample) => sample.contestant === name && sample.rate === rate);
      const own = medians(turns.map((turn) => turn.figures));
      return (own['requests/s'] ?? 0) >= SUSTAINED * rate ? [[rate, own]] : [];
    });
    return figures.length === 0 ? [] : [{ name, colour: colours[at], figures }];
  });
  if (rates.length < 2 || lines.length === 0)
    throw new Error('a curve needs two rates, and a contestant that sustains one');
  const legend = lines.map(({ name, colour }, at) => {
    const x = 40 + at * 110;
    return `<path d="M${x} 14h18" stroke="${colour}"/><text x="${x + 24}" y="18">${name}</text>`;
  });
  const drawn = panels.map(
    (panel, at) => `<g transform="translate(${at * width})">\n${drawPanel(panel, lines, rates)}\n</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${panels.length * width} ${height}" role="img">
<title>Latency and CPU by requests/s</title>
<style>text{font:11px sans-serif;fill:#57606a}path{fill:none;stroke-width:2}.grid{stroke:#888;stroke-opacity:.3;stroke-width:1}
@media(prefers-color-scheme:dark){text{fill:#9da7b3}}</style>
${[...legend, ...drawn].join('\n')}
</svg>
`;
}

function drawPanel({ title, of }: (typeof panels)[number], lines: readonly Line[], rates: readonly number[]): string {
  const drawn = lines.map(({ colour, figures }) => ({
    colour,
    points: figures.map(([rate, own]): Point => [rate, of(own) ?? 0]).filter(([, value]) => value > 0),
  }));
  const values = drawn.flatMap(({ points }) => points.map(([, value]) => value));
  const ticks = ticksAround(Math.min(...values), Math.max(...values));
  const x = logarithmic(rates, 40, width - 20);
  const y = logarithmic(ticks, bottom, top);
  return [
    `<text x="40" y="${top - 10}">${title}</text>`,
    ...ticks.map(
      (tick) =>
        `<path class="grid" d="M40 ${y(tick)}H${width - 20}"/><text x="34" y="${y(tick) + 4}" text-anchor="end">${tick}</text>`,
    ),
    ...rates.map(
      (rate) =>
        `<text x="${x(rate)}" y="${bottom + 18}" text-anchor="middle">${rate < 1_000 ? rate : `${rate / 1_000}k`}</text>`,
    ),
    `<text x="${(20 + width) / 2}" y="${bottom + 34}" text-anchor="middle">requests/s</text>`,
    ...drawn.flatMap(({ colour, points }) => [
      `<path stroke="${colour}" d="M${points.map(([rate, value]) => `${x(rate)} ${y(value)}`).join('L')}"/>`,
      ...points.map(([rate, value]) => `<circle cx="${x(rate)}" cy="${y(value)}" r="3" fill="${colour}"/>`),
    ]),
  ].join('\n');
}

/** The numbers 1, 2 and 5 times a power of ten from the greatest below the values to the least above them. */
function ticksAround(min: number, max: number): readonly number[] {
  const ticks = [-3, -2, -1, 0, 1, 2, 3, 4, 5].flatMap((power) =>
    [1, 2, 5].map((digit) => Number(`${digit}e${power}`)),
  );
  const [from, to] = [ticks.findLastIndex((tick) => tick <= min), ticks.findIndex((tick) => tick > max)];
  return ticks.slice(from, to + 1);
}

/** Maps the first and the last of the values to pixels. */
function logarithmic(values: readonly number[], from: number, to: number): Scale {
  const [first = 1, last = 1] = [values[0], values.at(-1)];
  return (value) => Math.round(from + ((to - from) * Math.log(value / first)) / Math.log(last / first));
}
