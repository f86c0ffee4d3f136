import { contestants } from './contestants/contestants.ts';

/** The figures of a turn by the title of their column. NaN if unknown. */
export type Figures = Readonly<Record<string, number>>;

/** The figures of one contestant in one turn. */
export interface Sample {
  readonly contestant: string;
  readonly load: string;
  readonly figures: Figures;
}

/** A Markdown report with a table of medians for each load, and the ratios of the service to the others on the same database. */
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

/** The median of the values that are known. */
function median(values: readonly number[]): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).toSorted((one, other) => one - other);
  const [low = Number.NaN, high = low] = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
  return (low + high) / 2;
}

function formatted(value: number): string {
  return Number.isFinite(value) ? value.toLocaleString('en', { maximumSignificantDigits: 3 }) : '';
}

/** A table whose columns are aligned, so that it is also readable as text. */
function markdownTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => `| ${row.map((cell, at) => cell.padStart(widths[at] ?? 0)).join(' | ')} |`);
  const rule = `|${widths.map((width) => `${'-'.repeat(width + 1)}:`).join('|')}|`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}
