import { type Figures, medians, type Sample } from './report.ts';

/** A contestant sustains a rate if it makes this share of it. */
const SUSTAINED = 0.98;

const panels: Readonly<Record<string, (figures: Figures) => number>> = {
  'p50 (ms)': (figures) => figures['p50 ms'] ?? 0,
  'p99 (ms)': (figures) => figures['p99 ms'] ?? 0,
  'CPU with PostgreSQL (µs a request)': (figures) => (figures['CPU µs'] ?? 0) + (figures['database CPU µs'] ?? 0),
};

/** Grey, and colours of Okabe and Ito, which colour-blind readers can tell apart, on white and on black. */
const colours = ['#888', '#56b4e9', '#e69f00', '#009e73', '#cc79a7', '#d55e00'];
const [width, top, bottom] = [280, 50, 210];

/**
 * Draws the figures by rate as an SVG with logarithmic axes. A contestant has no point at a rate that it does not sustain.
 *
 * @throws {Error} if there are not two rates.
 */
export function curve(samples: readonly Sample[]): string {
  const rates = [...new Set(samples.flatMap(({ rate = [] }) => rate))].toSorted((one, other) => one - other);
  if (rates.length < 2) throw new Error('a curve needs two rates');
  const x = logarithmic(rates, 40, width - 20);
  const stored = [...Map.groupBy(samples, ({ contestant }) => contestant)].filter(([, [first]]) => first?.store);
  const lines = stored.map(([name, own], at) => {
    const all = rates.map((rate) => ({
      rate,
      figures: medians(own.filter((each) => each.rate === rate).map((each) => each.figures)),
    }));
    const points = all.filter(({ rate, figures }) => (figures['requests/s'] ?? 0) >= SUSTAINED * rate);
    return { name, colour: colours[at], points };
  });
  const drawn = Object.entries(panels).map(([title, valueIn], at) => {
    const values = lines.flatMap(({ points }) => points.map(({ figures }) => valueIn(figures)));
    const ticks = ticksAround(Math.min(...values), Math.max(...values));
    const y = logarithmic(ticks, bottom, top);
    return `<g transform="translate(${at * width})">
<text x="40" y="${top - 10}">${title}</text><text x="${width / 2}" y="${bottom + 34}">requests/s</text>
${ticks.map((tick) => `<path class="grid" d="M40 ${y(tick)}H${width - 20}"/><text x="34" y="${y(tick) + 4}" text-anchor="end">${tick}</text>`).join('\n')}
${rates.map((rate) => `<text x="${x(rate)}" y="${bottom + 18}" text-anchor="middle">${rate < 1_000 ? rate : `${rate / 1_000}k`}</text>`).join('\n')}
${lines.map(({ colour, points }) => `<path stroke="${colour}" d="M${points.map(({ rate, figures }) => `${x(rate)} ${y(valueIn(figures))}`).join('L')}"/>`).join('\n')}
</g>`;
  });
  const legend = lines.map(
    ({ name, colour }, at) =>
      `<path d="M${40 + at * 110} 14h18" stroke="${colour}"/><text x="${64 + at * 110}" y="18">${name}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${drawn.length * width} ${bottom + 40}" role="img">
<title>Latency and CPU by requests/s</title>
<style>text{font:11px sans-serif;fill:#57606a}path{fill:none;stroke-width:2}.grid{stroke:#888;stroke-opacity:.3;stroke-width:1}
@media(prefers-color-scheme:dark){text{fill:#9da7b3}}</style>
${[...legend, ...drawn].join('\n')}
</svg>
`;
}

/** The numbers 1, 2 and 5 times a power of ten from the greatest below the values to the least above them. */
function ticksAround(min: number, max: number): readonly number[] {
  const ticks = Array.from({ length: 27 }, (_, at) => Number(`${[1, 2, 5][at % 3]}e${Math.floor(at / 3) - 3}`));
  return ticks.filter((_, at) => (ticks[at + 1] ?? max) > min && (ticks[at - 1] ?? min) <= max);
}

/** Maps the first and the last of the values to pixels. */
function logarithmic(values: readonly number[], from: number, to: number): (value: number) => number {
  const [first = 1, last = 1] = [values[0], values.at(-1)];
  return (value) => Math.round(from + ((to - from) * Math.log(value / first)) / Math.log(last / first));
}
