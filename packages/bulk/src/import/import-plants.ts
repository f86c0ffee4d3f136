import { errorMessage, IncompleteError, printable } from '@plant-store/command-line';
import { type CreatePlant, type NewPlant, PlantRefused } from '@plant-store/domain';
import { type Line, MalformedFile, type PlantLine } from '../records/line.ts';
import type { Reject } from './rejects.ts';

/** Progress of an import. */
export interface Progress {
  /** Plants that are stored, by this import or earlier. */
  stored: number;
  /** Lines that were rejected. */
  rejected: number;
  /** Bytes of the file that were processed, and those before the first line. */
  bytes: number;
  skipped: number | undefined;
  /** Why plants cannot be created at the moment; undefined if they can. */
  waitingFor: string | undefined;
}

export interface PlantImport {
  readonly create: CreatePlant;
  /** The first line to import; those before it are skipped. */
  readonly fromLine: number;
  /** Maximum plants in flight. */
  readonly concurrency: number;
  /** Called for each line that is rejected, in the order of the lines; the import waits for it. */
  readonly onRejected: (reject: Reject) => Promise<void>;
  /** Stops the import: plants in flight are completed. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/**
 * Where to continue an import that did not finish; undefined if it did. There is no line if the file has to be fixed first:
 * what follows the malformed line is unknown.
 */
export type Stop = { readonly line?: number; readonly reason: string } | undefined;

/**
 * Creates the plants of a file concurrently; those with the same id in the order of their lines. It stops if no more plants
 * can be created or read; all lines before the one that it returns are done, and no line from there on is reported as
 * rejected. Memory use is bounded: at most `concurrency` lines and 16 MiB are in flight.
 */
export async function importPlants(lines: AsyncIterable<Line>, options: PlantImport): Promise<Stop> {
  const { create, fromLine, concurrency, onRejected, signal, progress } = options;
  /** Lines in order: without a reject in flight, or they could not be created; with one it waits for those before it. */
  const pending = new Map<number, Reject | undefined>();
  let writing = Promise.resolve();
  const idsInFlight = new Set<bigint>();
  let lastLine = fromLine - 1;
  let lastEnd = 0;
  let inFlight = 0;
  let bytesInFlight = 0;
  let reason: string | undefined;
  let malformed: MalformedFile | undefined;
  let wake = () => {};

  function writeRejects(): Promise<void> {
    writing = writing.then(async () => {
      for (const [line, reject] of pending) {
        if (!reject) return;
        await onRejected(reject);
        progress.rejected += 1;
        pending.delete(line);
      }
    });
    return writing;
  }

  async function done({ line, plant }: PlantLine): Promise<void> {
    const reason = await reasonAgainst(plant);
    if (reason === undefined) {
      progress.stored += 1;
      pending.delete(line);
    } else pending.set(line, { line, reason });
    await writeRejects();
  }

  /** Undefined if the plant is stored. */
  async function reasonAgainst(plant: NewPlant): Promise<string | undefined> {
    try {
      const result = await create(plant);
      progress.waitingFor = undefined;
      if (result.outcome === 'created') return undefined;
      return `id: ${result.id} is taken by another plant, which is unchanged`;
    } catch (error) {
      // Everything else is no fault of the plant.
      if (!(error instanceof PlantRefused)) throw error;
      return error.message;
    }
  }

  function start(line: PlantLine): void {
    pending.set(line.line, undefined);
    idsInFlight.add(line.plant.id);
    inFlight += 1;
    bytesInFlight += line.bytes;
    done(line)
      .catch((error: unknown) => {
        // After an interruption, an error of the store does not matter.
        reason ??= signal.aborted ? 'interrupted' : printable(errorMessage(error));
      })
      .finally(() => {
        idsInFlight.delete(line.plant.id);
        inFlight -= 1;
        bytesInFlight -= line.bytes;
        progress.bytes = lastEnd - bytesInFlight;
        wake();
      });
  }

  function isNext(line: Line): boolean {
    if (inFlight === 0) return true;
    if (Math.max(inFlight, pending.size) >= concurrency || bytesInFlight > MAX_BYTES_IN_FLIGHT) return false;
    return !('plant' in line && idsInFlight.has(line.plant.id));
  }

  const oneToFinish = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });

  try {
    for await (const line of lines) {
      while (!isNext(line)) await oneToFinish();
      if (signal.aborted) reason ??= 'interrupted';
      if (reason !== undefined) break;
      lastLine = line.line;
      lastEnd = line.end;
      progress.skipped ??= line.end - ('plant' in line ? line.bytes : 0);
      if ('reason' in line) {
        pending.set(line.line, { line: line.line, reason: line.reason });
        await writeRejects();
      } else start(line);
      progress.bytes = lastEnd - bytesInFlight;
    }
  } catch (error) {
    if (signal.aborted) reason ??= 'interrupted';
    else if (error instanceof IncompleteError) reason ??= error.message;
    else if (error instanceof MalformedFile) malformed = error;
    else throw error;
  } finally {
    while (inFlight > 0) await oneToFinish();
  }
  if (reason === undefined) return malformed && { reason: malformed.message };
  const [first = lastLine + 1] = pending.keys();
  return { line: first, reason };
}

/** 16 MiB: enough for any number of plants of usual size and for sixteen of the largest. */
const MAX_BYTES_IN_FLIGHT = 16 * 1024 * 1024;
