import { contestants } from './contestants/contestants.ts';

/** By the title of their column. What is not known is NaN. */
export type Figures = Readonly<Record<string, number>>;

/** What was measured in one turn. */
export interface Sample {
  readonly contestant: string;
  readonly load: string;
  readonly figures: Figures;
}

/** Markdown: for each load a table of medians, with the service's ratios to the others on the same store. */
export function report(about: string, samples: readonly Sample[]): string {
  const tables = [...Map.groupBy(samples, ({ load }) => load)].map(([load, own]) => `## ${load}\n\n${tableOf(own)}\n`);
  return `# ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC\n\n${about}\n\n${tables.join('\n')}\n`;
}

function tableOf(samples: readonly Sample[]): string {
  const titles = Object.keys(samples[0]?.figures ?? {});
  const rows = contestants.flatMap(({ name, store }) => {
    const own = samples.filter(({ contestant }) => contestant === name).map(({ figures }) => figures);
    const figures = titles.map((title) => median(own.map((each) => each[title] ?? Number.NaN)));
    return own.length === 0 ? [] : [{ name, store, figures }];
  });
  const services = rows.filter(({ name }) => name.startsWith('plant-store'));
  const ratios = services.flatMap((service) =>
    rows.flatMap((other) => {
      const figures = service.figures.map((figure, at) => figure / (other.figures[at] ?? Number.NaN));
      const isComparable = other !== service && other.store === service.store;
      return isComparable ? [{ name: `${service.name} / ${other.name}`, figures }] : [];
    }),
  );
  const cells = [...rows, ...ratios].map(({ name, figures }) => [name, ...figures.map(formatted)]);
  return markdownTable([['', ...titles], ...cells]);
}

/** Of those that are known. */
function median(values: readonly number[]): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).toSorted((one, other) => one - other);
  const [low = Number.NaN, high = low] = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
  return (low + high) / 2;
}

function formatted(value: number): string {
  return Number.isFinite(value) ? value.toLocaleString('en', { maximumSignificantDigits: 3 }) : '';
}

/** Readable as text: its columns are aligned. */
function markdownTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => `| ${row.map((cell, at) => cell.padStart(widths[at] ?? 0)).join(' | ')} |`);
  const rule = `|${widths.map((width) => `${'-'.repeat(width + 1)}:`).join('|')}|`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}
