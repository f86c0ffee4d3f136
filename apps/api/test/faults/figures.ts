import type { Answer } from './caller.ts';
import type { Answered, Lasted, Observed } from './observed.ts';

/** Prints one line of figures. */
export function print(title: string, figures: readonly string[]): void {
  process.stdout.write(`${title}: ${figures.join(' · ')}\n`);
}

/** What callers saw. */
export function figuresOfAnswers(answered: Answered): readonly string[] {
  return [
    byOutcome(answered.answers),
    `longest answer ${milliseconds(longest(answered.answers))}`,
    `gap between acknowledgements ${milliseconds(gapBetweenAcknowledgements(answered))}`,
    `lost ${lost(answered).length}`,
  ];
}

/** What was seen of a fault of PostgreSQL. */
export function figuresOf(observed: Observed): readonly string[] {
  const { answers, again, attempts, attemptsInFault, mostBackends } = observed;
  const times = (tried: number, offered: number) => (offered ? (tried / offered).toFixed(3) : '–');
  return [
    ...figuresOfAnswers(observed),
    `steady again ${milliseconds(recovery(observed))} after the repair`,
    `attempts ${times(attempts, answers.length + again.length)} × offered, ${times(attemptsInFault, sentInFault(observed))} × during the fault`,
    `backends at most ${mostBackends}`,
  ];
}

/** `200: 1990, 503: 10` */
export function byOutcome(answers: readonly Answer[]): string {
  const counts = Object.entries(Object.groupBy(answers, ({ outcome }) => String(outcome)));
  return counts.map(([outcome, all]) => `${outcome}: ${all?.length}`).join(', ');
}

/** Of all answers; what was lost or silent counts until it was given up. In milliseconds. */
export function longest(answers: readonly Answer[]): number {
  return Math.max(0, ...answers.map(({ sentAt, answeredAt }) => answeredAt - sentAt));
}

/** Below how many milliseconds so large a share of the answers was, from 0 to 1. */
export function quantile(answers: readonly Answer[], share: number): number {
  const times = answers.map(({ sentAt, answeredAt }) => answeredAt - sentAt).toSorted((a, b) => a - b);
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
}

/** The longest time without a 200, in milliseconds. */
function gapBetweenAcknowledgements({ answers }: Pick<Answered, 'answers'>): number {
  const times = answers.filter(({ outcome }) => outcome === 200).map(({ answeredAt }) => answeredAt);
  return Math.max(0, ...times.slice(1).map((time, at) => time - (times[at] ?? time)));
}

/** From the repair until a request was sent from which on all were answered 200, in milliseconds; 0 if before it. */
export function recovery({ answers, repairedAt }: Answered & Pick<Lasted, 'repairedAt'>): number {
  const failed = answers.filter(({ outcome }) => outcome !== 200).map(({ sentAt }) => sentAt - repairedAt);
  return Math.max(0, ...failed);
}

/** Those that were answered 200 and are not in the store as they were sent. */
export function lost({ answers, again, stored }: Answered): readonly Answer[] {
  return [...answers, ...again].filter(({ outcome, plant }) => {
    const found = stored.get(plant.id);
    return outcome === 200 && (found?.name !== plant.name || found.tag !== plant.tag);
  });
}

/** How many requests were sent while the fault was there. */
export function sentInFault({ answers, begunAt, repairedAt }: Answered & Lasted): number {
  return answers.filter(({ sentAt }) => sentAt >= begunAt && sentAt <= repairedAt).length;
}

/** For people: `12 ms`, `1.94 s`. */
export function milliseconds(time: number): string {
  return time < 1_000 ? `${Math.round(time)} ms` : `${(time / 1_000).toFixed(2)} s`;
}
