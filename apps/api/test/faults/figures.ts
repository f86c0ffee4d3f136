import { isSamePlant } from '@plant-store/domain';
import { checkHistory, type RecordedCall } from '@plant-store/testing-servers';
import type { Result } from './client.ts';
import type { Lasted, Observed, Recorded } from './observed.ts';
import type { SentPlant } from './plants.ts';

/** Prints one line of figures. */
export function print(title: string, figures: readonly string[]): void {
  process.stdout.write(`${title}: ${figures.join(' · ')}\n`);
}

/** The figures of the clients. */
export function figuresOfResults(recorded: Recorded): readonly string[] {
  return [
    byOutcome(recorded.results),
    `longest response ${milliseconds(longest(recorded.results))}`,
    `gap between acknowledgements ${milliseconds(gapBetweenAcknowledgements(recorded))}`,
    `contradictions ${contradictions(recorded).length}`,
  ];
}

/** The figures of a fault of PostgreSQL. */
export function figuresOf(observed: Observed): readonly string[] {
  const { results, again, attempts, attemptsInFault, probeStatementsPerSecond, mostBackends } = observed;
  const times = (tried: number, needed: number) => (needed ? (tried / needed).toFixed(3) : '–');
  return [
    ...figuresOfResults(observed),
    `steady again ${milliseconds(recovery(observed))} after the repair`,
    `attempts ${times(attempts, offered([...results, ...again]))} × offered, ${times(attemptsInFault, offeredInFault(observed))} × during the fault`,
    `probes ${probeStatementsPerSecond.toFixed(1)} statements/s`,
    `backends at most ${mostBackends}`,
  ];
}

/** `200: 1990, taken: 10` */
export function byOutcome(results: readonly Result[]): string {
  const counts = Object.entries(Object.groupBy(results, ({ outcome }) => String(outcome)));
  return counts.map(([outcome, all]) => `${outcome}: ${all?.length}`).join(', ');
}

/** The longest response time, in milliseconds; requests without a response count until they were given up. */
export function longest(results: readonly Result[]): number {
  return Math.max(0, ...results.map(({ sentAt, completedAt }) => completedAt - sentAt));
}

/** A quantile of the response times, from 0 to 1, in milliseconds. */
export function quantile(results: readonly Result[], share: number): number {
  const times = results.map(({ sentAt, completedAt }) => completedAt - sentAt).toSorted((a, b) => a - b);
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
}

/** The longest time without a 200, in milliseconds. */
function gapBetweenAcknowledgements({ results }: Pick<Recorded, 'results'>): number {
  const times = results.filter(({ outcome }) => outcome === 200).map(({ completedAt }) => completedAt);
  return Math.max(0, ...times.slice(1).map((time, at) => time - (times[at] ?? time)));
}

/** Whether the store has decided: the plant is stored, or another one has its id. */
export const isDecided = ({ outcome }: { readonly outcome: Result['outcome'] | 'left' }): boolean =>
  outcome === 200 || outcome === 'taken';

/** Time from the repair until the store decided every later request, in milliseconds; 0 if it was before the repair. */
export function recovery({ results, repairedAt }: Recorded & Pick<Lasted, 'repairedAt'>): number {
  const failed = results.filter((result) => !isDecided(result)).map(({ sentAt }) => sentAt - repairedAt);
  return Math.max(0, ...failed);
}

/**
 * What no order of the requests explains: something lost, say, or stored and never sent. One line each.
 *
 * @param others calls of other clients.
 */
export function contradictions({ results, again, stored }: Recorded, others: readonly Call[] = []): readonly string[] {
  const history = [...results, ...again].map(({ plant, sentAt, completedAt, outcome }, at) => {
    // The service itself may have written it twice; a client certainly has that sends it again.
    const isRetried = at >= results.length;
    const added = isRetried ? { exists: plant } : 'added';
    const answer = outcome === 200 ? added : (ANSWERS[outcome] ?? 'unknown');
    const answered = answer === 'unknown' ? Infinity : completedAt;
    return { key: plant.id, value: plant, called: sentAt, answered, answer, isRetried } as const;
  });
  return checkHistory<number, SentPlant>([...others, ...history], stored, isSamePlant);
}

type Call = RecordedCall<number, SentPlant>;

/** What an outcome other than 200 says of the store, where it says something. */
const ANSWERS: Readonly<Record<string | number, 'taken' | 'refused'>> = {
  taken: 'taken',
  refused: 'refused',
  400: 'refused',
};

/** How many statements the requests need that were sent during the fault. */
export function offeredInFault({ results, begunAt, repairedAt }: Recorded & Lasted): number {
  return offered(results.filter(({ sentAt }) => sentAt >= begunAt && sentAt <= repairedAt));
}

/**
 * How many statements requests need: one inserts a plant, and one more reads which other plant has its id, unless both may have
 * been in one batch.
 */
export function offered(results: readonly Result[]): number {
  const storedAt = new Map(
    results.flatMap(({ outcome, plant, completedAt }) => (outcome === 200 ? [[plant.id, completedAt]] : [])),
  );
  const isRead = ({ outcome, plant, sentAt }: Result) =>
    outcome === 'taken' && !(sentAt < (storedAt.get(plant.id) ?? 0));
  return results.length + results.filter(isRead).length;
}

/** For people: `12 ms`, `1.94 s`. */
export function milliseconds(time: number): string {
  return time < 1_000 ? `${Math.round(time)} ms` : `${(time / 1_000).toFixed(2)} s`;
}
