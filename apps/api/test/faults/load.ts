import type { Answer } from './caller.ts';
import type { SentPlant } from './plants.ts';

/** Requests that are sent at a constant rate, however fast the answers come. */
export interface Load {
  /** Everything that was answered so far, in the order of the answers. */
  readonly answers: readonly Answer[];
  /** Sends no more, and resolves when everything that was sent has been answered or lost. */
  stop(): Promise<readonly Answer[]>;
}

/** How often the generator looks at the clock, in milliseconds. */
const TICK_MS = 5;

/** Sends new plants, so many a second. */
export function startLoad(rate: number, next: () => SentPlant, send: (plant: SentPlant) => Promise<Answer>): Load {
  const answers: Answer[] = [];
  const underWay = new Set<Promise<void>>();
  const start = performance.now();
  let sent = 0;

  const ticks = setInterval(() => {
    const due = ((performance.now() - start) / 1_000) * rate;
    for (; sent < due; sent += 1) {
      const answered = send(next()).then((answer) => void answers.push(answer));
      underWay.add(answered);
      void answered.finally(() => underWay.delete(answered));
    }
  }, TICK_MS);

  return {
    answers,
    async stop() {
      clearInterval(ticks);
      await Promise.all(underWay);
      return answers;
    },
  };
}

/** What is sent again unless its outcome is 200. */
interface Again {
  readonly plant: SentPlant;
  readonly outcome: Answer['outcome'] | 'left';
}

/** Sends once more what was not answered 200, a few at a time. */
export async function sendAgain(
  answers: readonly Again[],
  send: (plant: SentPlant) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const waiting = answers.filter(({ outcome }) => outcome !== 200).values();
  const again: Answer[] = [];
  const sender = async () => {
    for (const { plant } of waiting) again.push(await send(plant));
  };
  await Promise.all(Array.from({ length: 16 }, sender));
  return again;
}
