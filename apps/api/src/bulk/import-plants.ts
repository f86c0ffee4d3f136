import { type CreatePlant, type NewPlant, PlantRefused, textFields } from '@plant-store/domain';
import { errorMessage, UsageError } from '../errors.ts';
import type { Line, Reject } from './records.ts';

/** The progress of an import. */
export interface Progress {
  /** The number of stored plants. `existing` counts those that were already stored. */
  stored: number;
  existing: number;
  rejected: number;
  /** The reason why the import ended early, with a remedy. */
  stopped: string | undefined;
}

/** The options of {@link importPlants}. */
export interface PlantImport {
  readonly createPlant: CreatePlant;
  /** Whether to continue if nearly all lines are rejected. */
  readonly keepGoing: boolean;
  /** Aborts the import. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/**
 * Stores the plants of a file concurrently, but plants with the same id in the order of their lines. Memory use is bounded. If
 * storing or reading fails, the import ends after the plants in flight.
 *
 * @returns the rejected lines in their order, as they become known.
 * @throws {UsageError} if the header row is invalid.
 */
export async function* importPlants(
  lines: AsyncIterable<Line>,
  { createPlant, keepGoing, signal, progress }: PlantImport,
): AsyncGenerator<Reject, void> {
  const inFlight: Promise<Reject | undefined>[] = [];
  const ids = new Set<bigint>();
  let size = 0;

  async function importLine(line: Line): Promise<Reject | undefined> {
    if ('reason' in line) return line;
    const { plant } = line;
    ids.add(plant.id);
    size += sizeOf(plant);
    try {
      const result = await createPlant(plant);
      if (result.outcome === 'id-taken')
        return { line: line.line, reason: `id: ${plant.id} is taken by another plant, which is unchanged` };
      progress.stored += 1;
      if (!result.isNew) progress.existing += 1;
    } catch (error) {
      if (PlantRefused.is(error)) return { line: line.line, reason: error.message };
      progress.stopped ??= `${errorMessage(error)}; ${RUN_AGAIN}`;
    } finally {
      ids.delete(plant.id);
      size -= sizeOf(plant);
    }
  }

  /** Awaits the older half of the plants in flight, while the store works on the other half. */
  async function* settleOldest(): AsyncGenerator<Reject, void> {
    for (const reject of await Promise.all(inFlight.splice(0, MAX_IN_FLIGHT / 2))) {
      if (!reject) continue;
      progress.rejected += 1;
      const { rejected, stored } = progress;
      if (!keepGoing && rejected >= MIN_REJECTED && rejected > 9 * stored)
        progress.stopped ??= `${rejected} of ${rejected + stored} lines are rejected; fix the file, or pass --keep-going`;
      yield reject;
    }
  }

  try {
    for await (const line of lines) {
      const isSameId = () => 'plant' in line && ids.has(line.plant.id);
      while (inFlight.length >= MAX_IN_FLIGHT || size > MAX_SIZE || isSameId()) yield* settleOldest();
      if (signal.aborted || progress.stopped !== undefined) break;
      inFlight.push(importLine(line));
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    progress.stopped ??= errorMessage(error);
  }
  while (inFlight.length > 0) yield* settleOldest();
}

/** The size of a plant's text in UTF-16 code units. */
function sizeOf(plant: NewPlant): number {
  return textFields.reduce((size, field) => size + (plant[field]?.length ?? 0), 0);
}

/** The remedy for a failure that is not caused by the file. */
export const RUN_AGAIN = 'run the same import again';

/** Twice the default batch of a store: while one batch is being written, the next is queued. */
const MAX_IN_FLIGHT = 1_000;

/** 16 Mi UTF-16 code units in flight, beyond the last plant. */
const MAX_SIZE = 16 * 1024 * 1024;

/** The minimum rejected lines before the import stops because more than nine of ten lines are rejected. */
const MIN_REJECTED = 1_000;
