import { randomInt } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { isSamePlant, type NullablePlant, type Plant, pickPlant } from '@plant-store/domain';
import { checkHistory } from '@plant-store/testing';
import { create } from './running-service.ts';

/** A NewPlant as the load sends it. */
export interface SentPlant extends Plant {
  readonly id: number;
}

/** A request and its response. Times are those of `performance.now()`. */
export interface Result {
  readonly plant: SentPlant;
  readonly sentAt: number;
  readonly completedAt: number;
  /** `lost` without a response, `taken` if another plant has the id, else the status, with the body if it is not as promised. */
  readonly outcome: string;
}

/** See {@link startLoad}. */
interface LoadOptions {
  readonly next?: () => SentPlant;
  readonly mostInFlight?: number;
}

/**
 * Sends so many plants a second, however fast the responses come.
 *
 * @param url is asked for each plant.
 * @param mostInFlight so many requests have no response yet, at most. A busy machine then has a lower rate.
 */
export function startLoad(
  url: () => string,
  rate: number,
  { next = newPlants(), mostInFlight = 10_000 }: LoadOptions = {},
) {
  const results: Result[] = [];
  const sending: Promise<void>[] = [];
  const start = performance.now();
  const ticks = setInterval(() => {
    const due = ((performance.now() - start) / 1_000) * rate;
    while (sending.length < due && sending.length - results.length < mostInFlight)
      sending.push(sent(url(), next()).then((result) => void results.push(result)));
  }, 5);
  return {
    /** Those that have been completed so far. */
    results: results as readonly Result[],
    /** Sends no more, and resolves once every request is completed. */
    async stop(): Promise<readonly Result[]> {
      clearInterval(ticks);
      await Promise.all(sending);
      return results;
    },
  };
}

/** Sends the plants of all requests again that the store has not decided, and returns what has come of them. */
export async function sentAgain(results: readonly Result[], url: string): Promise<readonly Result[]> {
  const again: Result[] = [];
  for (const { plant } of results.filter(isUndecided)) again.push(await sent(url, plant));
  return again;
}

async function sent(url: string, plant: SentPlant): Promise<Result> {
  const sentAt = performance.now();
  const outcome = await create(url, plant)
    .then(async (response) => judge(response, await response.text(), plant))
    .catch(() => 'lost');
  return { plant, sentAt, completedAt: performance.now(), outcome };
}

function judge({ status, headers }: Response, body: string, plant: SentPlant): string {
  const { error } = JSON.parse(body);
  if (error === 40005) return 'taken';
  const isStored = status === 200 && body === JSON.stringify(pickPlant(plant));
  const isPromised = isStored || ([50301, 50302].includes(error) && headers.has('retry-after'));
  return isPromised ? `${status}` : `${status}: ${body}`;
}

/** Whether the store has said neither that the plant is stored nor that another one has its id. */
export const isUndecided = ({ outcome }: Result): boolean => outcome !== '200' && outcome !== 'taken';

/**
 * Makes plants with ids that no other load uses: with a tag, with an empty one, and without. Every tenth is a rival: it has the
 * id of an earlier plant, and another name.
 */
export function newPlants(nameLength = 40): () => SentPlant {
  const before = randomInt(2 ** 40) * 4_096;
  let made = 0;
  return () => {
    made += 1;
    const isRival = made % 10 === 0;
    const earlier = made % 20 === 0 ? made / 2 - 1 : made - 1;
    const id = before + (isRival ? earlier : made);
    const name = `Färn 🌿 ${id}${isRival ? ` rival ${made}` : ''} `.padEnd(nameLength, 'x');
    return made % 3 === 0 ? { id, name } : { id, name, tag: made % 3 === 1 ? `tag of ${id}` : '' };
  };
}

/** What no order of the requests explains: something lost, say, or stored and never sent. One line each. */
export function contradictions(
  results: readonly Result[],
  again: readonly Result[],
  stored: ReadonlyMap<number, SentPlant>,
): readonly string[] {
  const history = [...results, ...again].map(({ plant, sentAt, completedAt, outcome }, at) => {
    // The first request may have stored what is sent again.
    const isRetried = at >= results.length;
    const added = isRetried ? { exists: plant } : 'added';
    const answer = outcome === '200' ? added : outcome === 'taken' ? 'taken' : 'unknown';
    const answered = answer === 'unknown' ? Infinity : completedAt;
    return { key: plant.id, value: plant, called: sentAt, answered, answer, isRetried } as const;
  });
  return checkHistory<number, SentPlant>(history, stored, isSamePlant);
}

/** What is stored, by id, from rows of the table. */
export function plantsIn(rows: readonly object[]): ReadonlyMap<number, SentPlant> {
  const plants = (rows as readonly (NullablePlant & { id: unknown })[]).map((row) => ({
    id: Number(row.id),
    ...pickPlant(row),
  }));
  return new Map(plants.map((plant) => [plant.id, plant]));
}

/** What is stored in a SQLite file, read from the file itself. */
export function plantsInFile(path: string): ReadonlyMap<number, SentPlant> {
  using database = new DatabaseSync(path, { readOnly: true });
  return plantsIn(database.prepare('SELECT * FROM plants').all());
}
