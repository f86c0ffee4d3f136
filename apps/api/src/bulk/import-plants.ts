import { isSamePlant, type NewPlant, PlantRefused, type PlantRepository, textFields } from '@plant-store/domain';
import { errorMessage, UsageError } from '../errors.ts';
import type { Line, Reject } from './line.ts';

/** What an import has done so far. */
export interface Progress {
  /** Plants that are stored, and those of them that were stored before. */
  stored: number;
  existing: number;
  rejected: number;
  /** Why the import ended early, and what to do. */
  stopped: string | undefined;
}

/** How plants are stored. */
export interface PlantImport extends Pick<PlantRepository, 'add'> {
  /** Whether it goes on if nearly all lines are rejected. */
  readonly keepGoing: boolean;
  /** Ends it early. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/**
 * Stores the plants of a file, many at a time; those with the same id in the order of their lines. Memory use is bounded. If
 * plants cannot be stored or read any more, it ends early, after the plants in flight.
 *
 * @returns the lines that are rejected, in their order, as they become known.
 * @throws {UsageError} if the header row does not fit.
 */
export async function* importPlants(
  lines: AsyncIterable<Line>,
  { add, keepGoing, signal, progress }: PlantImport,
): AsyncGenerator<Reject, void> {
  const inFlight: Promise<Reject | undefined>[] = [];
  const ids = new Set<bigint>();
  let size = 0;

  async function rejectOf(line: Line): Promise<Reject | undefined> {
    if ('reason' in line) return line;
    const { plant } = line;
    ids.add(plant.id);
    size += sizeOf(plant);
    try {
      const result = await add(plant);
      if (result.outcome === 'exists' && !isSamePlant(result.plant, plant))
        return { line: line.line, reason: `id: ${plant.id} is taken by another plant, which is unchanged` };
      progress.stored += 1;
      if (result.outcome === 'exists') progress.existing += 1;
    } catch (error) {
      if (error instanceof PlantRefused) return { line: line.line, reason: error.message };
      progress.stopped ??= `${errorMessage(error)}; ${AGAIN}`;
    } finally {
      ids.delete(plant.id);
      size -= sizeOf(plant);
    }
  }

  /** Completes the older half of what is in flight. The store works on the other one meanwhile. */
  async function* complete(): AsyncGenerator<Reject, void> {
    for (const reject of await Promise.all(inFlight.splice(0, MAX_IN_FLIGHT / 2))) {
      if (!reject) continue;
      progress.rejected += 1;
      const { rejected, stored } = progress;
      if (!keepGoing && rejected >= MANY && rejected > 9 * stored)
        progress.stopped ??= `${rejected} of ${rejected + stored} lines are rejected; fix the file, or pass --keep-going`;
      yield reject;
    }
  }

  try {
    for await (const line of lines) {
      const isSameId = () => 'plant' in line && ids.has(line.plant.id);
      while (inFlight.length >= MAX_IN_FLIGHT || size > MAX_SIZE || isSameId()) yield* complete();
      if (signal.aborted || progress.stopped !== undefined) break;
      inFlight.push(rejectOf(line));
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    progress.stopped ??= errorMessage(error);
  }
  while (inFlight.length > 0) yield* complete();
}

/** In UTF-16 code units of text. */
function sizeOf(plant: NewPlant): number {
  return textFields.reduce((size, field) => size + (plant[field]?.length ?? 0), 0);
}

/** What to do after a failure that does not lie in the file. */
export const AGAIN = 'run the same import again';

/** Twice the default batch of a store: while one batch is being written, the next is queued. */
const MAX_IN_FLIGHT = 1_000;

/** 16 Mi, beyond the last plant. */
const MAX_SIZE = 16 * 1024 * 1024;

/** After so many rejected lines the import stops, if they are more than nine of ten. */
const MANY = 1_000;
