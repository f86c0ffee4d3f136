import type { Summary } from '../samples.ts';
import { escapeXml, palette } from './svg.ts';

const ROW = 28;
const LABEL_WIDTH = 220;
const BAR_WIDTH = 460;
const VALUE_WIDTH = 90;
const TOP = 36;

/** A bar chart of requests per second as SVG, readable on a light and on a dark page. */
export function chart(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value }) => value), 1);
  const width = LABEL_WIDTH + BAR_WIDTH + VALUE_WIDTH;
  const height = TOP + bars.length * ROW + 8;
  const rows = bars.map(({ label, value, own }, at) => {
    const y = TOP + at * ROW;
    const length = Math.max(1, (value / most) * BAR_WIDTH);
    return [
      `<text x="${LABEL_WIDTH - 8}" y="${y + 17}" text-anchor="end">${escapeXml(label)}</text>`,
      `<rect class="${own ? 'own' : 'other'}" x="${LABEL_WIDTH}" y="${y + 3}" width="${length.toFixed(1)}" height="20" rx="2"/>`,
      `<text x="${(LABEL_WIDTH + length + 6).toFixed(1)}" y="${y + 17}">${Math.round(value).toLocaleString('en')}</text>`,
    ].join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">
<style>
${palette}
</style>
<text class="title" x="8" y="20">${escapeXml(title)}</text>
${rows.join('\n')}
</svg>
`;
}

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** Whether it is the service itself. */
  readonly own: boolean;
}

/** The contestants of a comparison under its largest number of connections; the scenarios of any other suite. */
export function bars(summaries: readonly Summary[], scenario: string | undefined): readonly Bar[] {
  return scenario === undefined
    ? summaries.map((summary) => ({ label: summary.scenario, value: summary.requestsPerSecond, own: true }))
    : summaries
        .filter((summary) => summary.scenario === scenario)
        .map(({ contestant, requestsPerSecond }) => ({
          label: contestant,
          value: requestsPerSecond,
          own: contestant.startsWith('service-'),
        }));
}
