/** The figures of a turn by the title of their column. NaN if unknown. */
export type Figures = Readonly<Record<string, number>>;

/** The figures of one contestant in one turn. */
export interface Sample {
  readonly contestant: string;
  /** The database of the contestant. Contestants are compared with the service on the same one. */
  readonly store: string | undefined;
  /** The name of the load. */
  readonly load: string;
  /** The rate of the load in requests/s, if it is constant. */
  readonly rate?: number | undefined;
  /** Contestants are compared within a turn, because the machine may be half as fast in the next one. */
  readonly turn: number;
  readonly figures: Figures;
}

/** The figures whose ratios the report has. */
const COMPARED = ['requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'database CPU µs'];

/**
 * A Markdown report: a table with a row for each load and contestant. It has the medians of the figures, then the medians of the
 * ratios of the service's figures to them within a turn.
 */
export function report(about: string, samples: readonly Sample[]): string {
  const titles = Object.keys(samples[0]?.figures ?? {});
  const rows = [...Map.groupBy(samples, ({ load, contestant }) => `${load}, ${contestant}`)].map(([name, own]) => {
    const figures = Object.values(medians(own.map((sample) => sample.figures)));
    return [name, ...[...figures, ...ratios(own, samples)].map(formatted)];
  });
  const title = `# ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const heads = ['', ...titles, ...COMPARED.map((each) => `${each}: service / it`)];
  const lines = [heads, heads.map(() => '-:'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`);
  return `${title}\n\n${about}\n\n${lines.join('')}\n`;
}

/** The medians of the figures of several turns. */
export function medians(all: readonly Figures[]): Figures {
  const titles = Object.keys(all[0] ?? {});
  return Object.fromEntries(titles.map((title) => [title, median(all.map((each) => each[title] ?? Number.NaN))]));
}

/** NaN where the service has no such turn, and for the service itself. */
function ratios(own: readonly Sample[], samples: readonly Sample[]): readonly number[] {
  return COMPARED.map((title) =>
    median(
      own.map(({ contestant, store, load, turn, figures }) => {
        const isService = (each: Sample) =>
          each.contestant.startsWith('plant-store') && each.contestant !== contestant && each.store === store;
        const service = samples.find((each) => isService(each) && each.load === load && each.turn === turn);
        return (service?.figures[title] ?? Number.NaN) / (figures[title] ?? Number.NaN);
      }),
    ),
  );
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
