import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import type { NewPlant, Plant, PlantExport, PlantStore } from '@plant-store/domain';
import { openPlantStore, type PlantEngine, unobserved } from '@plant-store/sql-store';
import type { FileLogOptions } from './options.ts';

/** Opens a store that appends a line to a file for each plant, and keeps all of them in memory. */
export async function openFileLog(options: FileLogOptions): Promise<PlantStore> {
  return openPlantStore(engineAt(pathOf(options.url)), { observer: unobserved, ...options });
}

/** Reads the file as it is when the reading begins. */
export function exportFileLog(url: string): PlantExport {
  return {
    async *readAll() {
      yield* linesOf(pathOf(url)).plants.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },
  };
}

function engineAt(path: string): PlantEngine {
  const { plants: stored, bytes } = linesOf(path);
  const plants = new Map<bigint, Plant>(stored.map(({ id, ...plant }) => [id, Object.freeze(plant)]));
  const file = openSync(path, 'a');
  // What a crash left of a line would become the beginning of the next one.
  truncateSync(path, bytes);
  return {
    // In one turn of the event loop, so that deciding and writing are one operation.
    async write(batch) {
      const free = batch.filter(({ id }) => !plants.has(id));
      if (free.length > 0) {
        writeSync(file, free.map(lineOf).join(''));
        fsyncSync(file);
      }
      const results = batch.map(({ id }) => {
        const plant = plants.get(id);
        return plant ? ({ done: { outcome: 'exists', plant } } as const) : ({ done: { outcome: 'added' } } as const);
      });
      for (const { id, ...plant } of free) plants.set(id, Object.freeze(plant));
      return results;
    },
    probe: async () => fsyncSync(file),
    close: async () => closeSync(file),
  };
}

function lineOf({ id, ...plant }: NewPlant): string {
  return `${JSON.stringify({ id: String(id), ...plant })}\n`;
}

/** The plants of the complete lines, and how many bytes these take. */
function linesOf(path: string): { readonly plants: readonly NewPlant[]; readonly bytes: number } {
  const content = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const bytes = content.lastIndexOf('\n') + 1;
  const lines = content.toString('utf8', 0, bytes).split('\n').slice(0, -1);
  const plants = lines.map((line) => {
    const { id, ...plant } = JSON.parse(line);
    return { id: BigInt(id), ...plant };
  });
  return { plants, bytes };
}

function pathOf(url: string): string {
  return url.slice('file-log:'.length);
}
