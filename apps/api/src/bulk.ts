import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidJson, parseJson } from '@plant-store/adapters-http/json';
import {
  type CreatePlant,
  type NewPlant,
  type PlantExport,
  PlantRefused,
  parseNewPlant,
  pickPlant,
  StoreMisconfigured,
  StoreOverloaded,
} from '@plant-store/domain';
import { errorMessage, IncompleteError } from './errors.ts';

/** Twice the default batch of a store. */
const MAX_IN_FLIGHT = 1_000;

/**
 * Stores the plants of NDJSON, a NewPlant a line, and prints each rejected line with its number on standard error. Plants with the
 * same id are stored in the order of their lines. To import the same lines again is safe.
 *
 * @returns the number of rejected lines.
 * @throws {IncompleteError} if reading or storing fails.
 */
export async function importPlants(input: Readable, createPlant: CreatePlant): Promise<number> {
  let line = 0;
  let stored = 0;
  let rejected = 0;
  const inFlight = new Map<bigint, Promise<void>>();
  const reject = (at: number, reason: string) => {
    rejected += 1;
    process.stderr.write(`line ${at}: ${reason}\n`);
  };
  const store = async (at: number, plant: Parameters<CreatePlant>[0]): Promise<void> => {
    try {
      const { outcome } = await createPlant(plant);
      if (outcome === 'created') stored += 1;
      else reject(at, 'the id is taken by another plant, which is unchanged');
    } catch (error) {
      if (StoreOverloaded.is(error)) return sleep(50).then(() => store(at, plant));
      if (!PlantRefused.is(error)) throw error;
      reject(at, error.message);
    }
  };
  using _ = showProgress(() => `${stored} stored, ${rejected} rejected`);
  try {
    for await (const bytes of readLines(input)) {
      line += 1;
      const parsed = parseLine(bytes);
      if (parsed === undefined) continue;
      if ('reason' in parsed) reject(line, parsed.reason);
      else {
        if (inFlight.size === MAX_IN_FLIGHT || inFlight.has(parsed.plant.id)) {
          await Promise.all(inFlight.values());
          inFlight.clear();
        }
        const storing = store(line, parsed.plant);
        // It may fail while the next line has not arrived. It is awaited later.
        storing.catch(() => {});
        inFlight.set(parsed.plant.id, storing);
      }
    }
    await Promise.all(inFlight.values());
  } catch (cause) {
    await Promise.allSettled(inFlight.values());
    throw new IncompleteError(`${errorMessage(cause)}; ${stored} plants are stored: run the same import again`, {
      cause,
    });
  }
  return rejected;
}

/** Splits into lines. Each byte is a character at first, because decoding UTF-8 would replace invalid bytes. */
async function* readLines(input: Readable): AsyncGenerator<Buffer> {
  let rest = '';
  for await (const chunk of input.setEncoding('latin1')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield Buffer.from(line, 'latin1');
  }
  yield Buffer.from(rest, 'latin1');
}

/** The plant of a line, or why it is rejected; undefined for a blank line. */
function parseLine(bytes: Buffer) {
  if (bytes.toString().trim() === '') return undefined;
  try {
    const parsed = parseNewPlant(parseJson(bytes));
    if ('plant' in parsed) return parsed;
    return { reason: parsed.faults.map(({ field = 'the line', message }) => `${field} ${message}`).join('; ') };
  } catch (error) {
    if (error instanceof InvalidJson) return { reason: `the line is ${error.message}` };
    throw error;
  }
}

/**
 * Writes the plants of a store to standard output as NDJSON.
 * @throws {IncompleteError} if the export ended early; {@link StoreMisconfigured} if it could not begin.
 */
export async function writeExport(plants: PlantExport): Promise<void> {
  let written = 0;
  async function* lines(): AsyncGenerator<string> {
    for await (const plant of plants.readAll()) {
      written += 1;
      yield toLine(plant);
    }
  }
  using _ = showProgress(() => `${written} plants written`);
  try {
    await pipeline(inChunks(lines()), process.stdout);
  } catch (cause) {
    if (StoreMisconfigured.is(cause)) throw cause;
    throw new IncompleteError(`${errorMessage(cause)}; the export is incomplete: run it again`, { cause });
  }
}

/** JSON.stringify does not support bigints. */
function toLine(plant: NewPlant): string {
  return `{"id":${plant.id},${JSON.stringify(pickPlant(plant)).slice(1)}\n`;
}

/** Yields chunks of about 64 KiB, because a write per plant would take longer than serializing it. */
async function* inChunks(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = '';
  for await (const text of texts) {
    chunk += text;
    if (chunk.length < 64 * 1024) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

/** Shows progress on standard error: every second, on a terminal in the same line, and at the end. */
function showProgress(text: () => string): Disposable {
  const timer = setInterval(() => process.stderr.write(process.stderr.isTTY ? `\r${text()}` : `${text()}\n`), 1_000);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      process.stderr.write(`${process.stderr.isTTY ? '\r' : ''}${text()}\n`);
    },
  };
}
