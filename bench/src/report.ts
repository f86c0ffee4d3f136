import { contestants } from './contestants/contestants.ts';

/** The figures of a turn by the title of their column. NaN if unknown. */
export type Figures = Readonly<Record<string, number>>;

/** The figures of one contestant in one turn. */
export interface Sample {
  readonly contestant: string;
  /** The name of the load. */
  readonly load: string;
  /** The rate of the load in requests/s, if it is constant. */
  readonly rate?: number | undefined;
  /** Contestants are compared within a turn, because the machine may be half as fast in the next one. */
  readonly turn: number;
  readonly figures: Figures;
}

/** A Markdown report with a table of medians for each load, and one with the service's ratios to the others on its database. */
export function report(about: string, samples: readonly Sample[]): string {
  const loads = [...Map.groupBy(samples, ({ load }) => load)];
  const tables = loads.map(([load, own]) => `## ${load}\n\n${figuresTable(own)}\n`);
  const title = `# ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `${title}\n\n${about}\n\n${tables.join('\n')}\n## Ratios\n\n${ratiosTable(loads)}\n\n`;
}

/** The medians of the figures of several turns. */
export function medians(all: readonly Figures[]): Figures {
  const titles = Object.keys(all[0] ?? {});
  return Object.fromEntries(titles.map((title) => [title, median(all.map((each) => each[title] ?? Number.NaN))]));
}

function figuresTable(samples: readonly Sample[]): string {
  const rows = contestants.flatMap(({ name }) => {
    const own = samples.filter(({ contestant }) => contestant === name).map(({ figures }) => figures);
    return own.length === 0 ? [] : [[name, ...Object.values(medians(own)).map(formatted)]];
  });
  return markdownTable([['', ...Object.keys(samples[0]?.figures ?? {})], ...rows]);
}

/** The medians of the ratios within a turn. */
function ratiosTable(loads: readonly (readonly [load: string, samples: readonly Sample[]])[]): string {
  const titles = ['requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'database CPU µs'];
  const pairs = contestants.flatMap((service) =>
    service.name.startsWith('plant-store')
      ? contestants
          .filter((other) => other !== service && other.store === service.store)
          .map((other) => [service, other])
      : [],
  );
  const rows = loads.flatMap(([load, samples]) =>
    pairs.flatMap(([service, other]) => {
      const ratios = samples.flatMap(({ contestant, turn, figures }) => {
        const divisor = samples.find((each) => each.contestant === other?.name && each.turn === turn)?.figures;
        if (contestant !== service?.name || !divisor) return [];
        return [Object.fromEntries(titles.map((title) => [title, (figures[title] ?? NaN) / (divisor[title] ?? NaN)]))];
      });
      const cells = Object.values(medians(ratios)).map(formatted);
      return ratios.length === 0 ? [] : [[`${load}, ${service?.name} / ${other?.name}`, ...cells]];
    }),
  );
  return markdownTable([['', ...titles], ...rows]);
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
