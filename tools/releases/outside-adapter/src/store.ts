import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import {
  type NewPlant,
  type Plant,
  type PlantExport,
  type PlantStore,
  plantOf,
  StoreUnavailable,
} from '@plant-store/domain';
import type { GroupCommitLimits } from '@plant-store/group-commit';
import { openPlantStore, type PlantEngine, type StoreObserver, unobserved } from '@plant-store/store-kit';

export interface FileLogOptions extends GroupCommitLimits {
  /** `file-log:<path>` */
  readonly url: string;
  /** Receives the events of the store, for metrics. None by default. */
  readonly observer?: StoreObserver;
}

/** Opens a store that appends a line to a file for each plant, and keeps all of them in memory. */
export async function openFileLog(options: FileLogOptions): Promise<PlantStore> {
  return openPlantStore(engineAt(pathOf(options.url)), { observer: unobserved, ...options });
}

/** Exports the plants that the file has when reading begins. */
export function exportFileLog(url: string): PlantExport {
  return {
    async *readAll() {
      yield* linesOf(pathOf(url)).plants.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },
  };
}

export function pathOf(url: string): string {
  return url.slice('file-log:'.length);
}

function engineAt(path: string): PlantEngine {
  const { plants: stored, bytes } = linesOf(path);
  const plants = new Map<bigint, Plant>(stored.map((plant) => [plant.id, Object.freeze(plantOf(plant))]));
  const file = openSync(path, 'a');
  // Removes an incomplete line that a crash has left, because the next line would be appended to it.
  truncateSync(path, bytes);
  let length = bytes;
  // A new file is lost with its directory's entry.
  const directory = openSync(dirname(path), 'r');
  fsyncSync(directory);
  closeSync(directory);
  return {
    // Synchronous, so that no other batch is written between the lookup and the write.
    async write(batch) {
      const outcomes = batch.map(({ id }) => {
        const plant = plants.get(id);
        return { done: plant ? ({ outcome: 'exists', plant } as const) : ({ outcome: 'added' } as const) };
      });
      const free = batch.filter(({ id }) => !plants.has(id));
      if (free.length > 0) length += append(file, free.map(lineOf).join(''), length);
      for (const plant of free) plants.set(plant.id, Object.freeze(plantOf(plant)));
      return outcomes;
    },
    probe: async () => fsyncSync(file),
    close: async () => closeSync(file),
  };
}

/**
 * Appends a text, syncs it and returns its bytes. After a failure it removes what was written, because the next line would be appended
 * to a part of one, and a plant without an acknowledgement would have two lines.
 */
function append(file: number, text: string, length: number): number {
  const bytes = Buffer.from(text);
  try {
    // writeSync may write a part, as on a disk that is almost full.
    writeFileSync(file, bytes);
    fsyncSync(file);
  } catch (cause) {
    ftruncateSync(file, length);
    throw new StoreUnavailable(`the file cannot be written: ${(cause as Error).message}`, { cause });
  }
  return bytes.length;
}

function lineOf({ id, ...plant }: NewPlant): string {
  return `${JSON.stringify({ id: String(id), ...plant })}\n`;
}

/** The plants of the complete lines, and the length of these lines in bytes. */
function linesOf(path: string): { readonly plants: readonly NewPlant[]; readonly bytes: number } {
  const content = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const bytes = content.lastIndexOf('\n') + 1;
  const lines = content.toString('utf8', 0, bytes).split('\n').slice(0, -1);
  const plants = lines.map((line): NewPlant => {
    const { id, ...plant } = JSON.parse(line);
    return { id: BigInt(id), ...plant };
  });
  return { plants, bytes };
}
