import { type CreatePlant, StoreUnavailable } from '@plant-store/domain';
import { reasonOf } from '../../error-message.ts';
import { StoppedEarly } from '../../incomplete-error.ts';
import { type Line, MalformedFile, type PlantLine } from '../records/line.ts';
import type { Reject } from './rejects.ts';

/** How far an import has come. */
export interface Progress {
  /** Plants that are stored now, by this import or before it. */
  stored: number;
  /** Lines that are not. */
  refused: number;
  /** Bytes of the file that are done with, and those before the first line that was taken. */
  bytes: number;
  skipped: number | undefined;
  /** Why nothing can be created for the moment; undefined where something can. */
  waitingFor: string | undefined;
}

export interface ImportOptions {
  readonly create: CreatePlant;
  /** The first line that is taken; those before it are done with. */
  readonly fromLine: number;
  /** How many plants are being created at once, at the most. */
  readonly concurrency: number;
  /** Told of each line that is not stored; the import waits for it. */
  readonly onRefused: (reject: Reject) => Promise<void>;
  /** Stops the import: what is under way is finished. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/**
 * Where an import that has not come to its end has to go on; undefined where it has. There is no line where the file has to
 * be mended first: what is behind the one that the reason names is not known.
 */
export type Stop = { readonly line?: number; readonly reason: string } | undefined;

/**
 * Creates the plants of a file, many at once; of those with one id the first, and then the next. It stops where nothing
 * more can be created, or read; all lines before the one that it names are done with. Memory stays flat: no more than
 * `concurrency` plants and 16 MiB are under way.
 */
export async function importPlants(lines: AsyncIterable<Line>, options: ImportOptions): Promise<Stop> {
  const { create, fromLine, concurrency, onRefused, signal, progress } = options;
  /** In the order of their lines. Those that could not be created stay. */
  const undone = new Set<number>();
  const idsUnderWay = new Set<bigint>();
  let lastLine = fromLine - 1;
  let lastEnd = 0;
  let underWay = 0;
  let bytesUnderWay = 0;
  let reason: string | undefined;
  let malformed: MalformedFile | undefined;
  let wake = () => {};

  async function refuse({ line, reason }: Reject): Promise<void> {
    await onRefused({ line, reason });
    progress.refused += 1;
  }

  async function done({ line, plant }: PlantLine): Promise<void> {
    try {
      const result = await create(plant);
      progress.waitingFor = undefined;
      if (result.outcome === 'created') progress.stored += 1;
      else await refuse({ line, reason: `id: another plant has the id ${result.id}; it is unchanged` });
    } catch (error) {
      if (error instanceof StoreUnavailable || error instanceof StoppedEarly) throw error;
      await refuse({ line, reason: `the store refuses the plant: ${reasonOf(error)}` });
    }
  }

  function start(line: PlantLine): void {
    undone.add(line.line);
    idsUnderWay.add(line.plant.id);
    underWay += 1;
    bytesUnderWay += line.bytes;
    done(line)
      .then(
        () => undone.delete(line.line),
        (error: unknown) => {
          // Whoever interrupts need not hear that the store was slow to end.
          reason ??= signal.aborted ? 'interrupted' : reasonOf(error);
        },
      )
      .finally(() => {
        idsUnderWay.delete(line.plant.id);
        underWay -= 1;
        bytesUnderWay -= line.bytes;
        progress.bytes = lastEnd - bytesUnderWay;
        wake();
      });
  }

  function isNext(line: Line): boolean {
    if (underWay === 0) return true;
    if (underWay >= concurrency || bytesUnderWay > MAX_BYTES_UNDER_WAY) return false;
    return !('plant' in line && idsUnderWay.has(line.plant.id));
  }

  const oneIsDone = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });

  try {
    for await (const line of lines) {
      while (!isNext(line)) await oneIsDone();
      if (signal.aborted) reason ??= 'interrupted';
      if (reason !== undefined) break;
      lastLine = line.line;
      lastEnd = line.end;
      progress.skipped ??= line.end - ('plant' in line ? line.bytes : 0);
      if ('reason' in line) {
        undone.add(line.line);
        await refuse(line);
        undone.delete(line.line);
      } else start(line);
      progress.bytes = lastEnd - bytesUnderWay;
    }
  } catch (error) {
    if (signal.aborted) reason ??= 'interrupted';
    else if (error instanceof StoppedEarly) reason ??= error.message;
    else if (error instanceof MalformedFile) malformed = error;
    else throw error;
  } finally {
    while (underWay > 0) await oneIsDone();
  }
  if (reason === undefined) return malformed && { reason: malformed.message };
  const [first = lastLine + 1] = undone;
  return { line: first, reason };
}

/** 16 MiB: enough for any number of plants of a usual size, and for sixteen of the largest. */
const MAX_BYTES_UNDER_WAY = 16 * 1024 * 1024;
