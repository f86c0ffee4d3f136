import { errorMessage, UsageError } from '@plant-store/command-line';
import { isSamePlant, PlantRefused, type PlantRepository } from '@plant-store/domain';
import type { Line } from '../records/line.ts';
import type { Reject } from './rejects.ts';

/** What an import has done so far. */
export interface Progress {
  /** Plants that are stored, and those of them that were stored before. */
  stored: number;
  existing: number;
  rejected: number;
  /** Of the file. */
  bytes: number;
  /** Why the import ended early. */
  stopped: string | undefined;
}

export interface PlantImport extends Pick<PlantRepository, 'add'> {
  /** Whether it goes on if nearly all lines are rejected. */
  readonly keepGoing: boolean;
  /** Stops the import: plants in flight are completed. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** Undefined if the plant is stored, a text if it is rejected, an error if the import has to stop. */
type Outcome = string | Error | undefined;

/**
 * Stores the plants of a file, many at a time; those with the same id in the order of their lines. Memory use is bounded. If
 * plants cannot be stored or read any more, it ends early.
 *
 * @returns the lines that are rejected, in their order, as they become known.
 * @throws {UsageError} if the header row does not fit.
 */
export async function* importPlants(
  lines: AsyncIterable<Line>,
  { add, keepGoing, signal, progress }: PlantImport,
): AsyncGenerator<Reject, void> {
  const inFlight: { readonly line: Line; readonly outcome: Promise<Outcome> }[] = [];
  const ids = new Set<bigint>();

  async function outcomeOf(line: Line): Promise<Outcome> {
    if ('reason' in line) return line.reason;
    const { plant } = line;
    try {
      const result = await add(plant);
      const isOther = result.outcome === 'exists' && !isSamePlant(result.plant, plant);
      if (isOther) return `id: ${plant.id} is taken by another plant, which is unchanged`;
      progress.stored += 1;
      if (result.outcome === 'exists') progress.existing += 1;
    } catch (error) {
      return error instanceof PlantRefused ? error.message : new Error(errorMessage(error));
    }
  }

  /** Completes the line that has been in flight for the longest time. */
  async function* complete(): AsyncGenerator<Reject, void> {
    const oldest = inFlight.shift();
    if (!oldest) return;
    const { line, outcome } = oldest;
    const reason = await outcome;
    if ('plant' in line) ids.delete(line.plant.id);
    progress.bytes = line.end;
    if (reason instanceof Error) progress.stopped ??= reason.message;
    else if (reason !== undefined) {
      progress.rejected += 1;
      const { rejected, stored } = progress;
      if (!keepGoing && rejected >= MANY && rejected > 9 * stored)
        progress.stopped ??= `${rejected} of ${rejected + stored} lines are rejected; fix the file, or pass --keep-going`;
      yield { ...line, reason };
    }
  }

  function isFull(line: Line): boolean {
    if (inFlight.length >= MAX_IN_FLIGHT || line.end - progress.bytes > MAX_BYTES_IN_FLIGHT) return true;
    return 'plant' in line && ids.has(line.plant.id);
  }

  try {
    for await (const line of lines) {
      while (inFlight.length > 0 && isFull(line)) yield* complete();
      if (signal.aborted || progress.stopped !== undefined) break;
      if ('plant' in line) ids.add(line.plant.id);
      inFlight.push({ line, outcome: outcomeOf(line) });
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    progress.stopped ??= errorMessage(error);
  }
  while (inFlight.length > 0) yield* complete();
  // After an interruption, an error of the store does not matter.
  if (signal.aborted) progress.stopped = 'interrupted';
}

/** Twice the default batch of a store: while one batch is being written, the next is queued. */
const MAX_IN_FLIGHT = 1_000;

const MAX_BYTES_IN_FLIGHT = 16 * 1024 * 1024;

/** After so many rejected lines the import stops, if they are more than nine of ten. */
const MANY = 1_000;
