import type { RunningContestant } from '../contestants/start-contestant.ts';
import { progress } from '../progress.ts';
import type { Sample } from '../samples.ts';
import type { Scenario } from './suites.ts';

/** How long a turn takes, in seconds. A shared machine can be half as fast a second later. */
const TURN_SECONDS = 1;

export interface Rounds {
  readonly rounds: number;
  /** How long a contestant is measured in a scenario in each round. */
  readonly seconds: number;
  /** Starts and warms up all contestants of a round; what it adds to the stack is disposed of when the round ends. */
  open(stack: AsyncDisposableStack): Promise<readonly RunningContestant[]>;
  /** Called before each scenario. */
  prepare(scenario: Scenario): void;
}

/**
 * Every scenario by all contestants in turn, so that what the machine does meanwhile affects all of them alike. Each round
 * has new processes and empty tables; all of them run at once, and those whose turn it is not get no load.
 */
export async function inTurn(
  scenarios: readonly Scenario[],
  { rounds, seconds, open, prepare }: Rounds,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const turns = Math.ceil(seconds / TURN_SECONDS);
  for (let round = 1; round <= rounds; round += 1) {
    await using stack = new AsyncDisposableStack();
    const runners = await open(stack);
    for (const scenario of scenarios) {
      prepare(scenario);
      for (let turn = 1; turn <= turns; turn += 1) {
        const taken: Sample[] = [];
        // Each turn begins with another one.
        for (const { name: contestant, measure } of rotated(runners, round + turn)) {
          const measurement = await measure({ ...scenario.load, seconds: seconds / turns });
          taken.push({ contestant, scenario: scenario.name, round, turn, ...measurement });
        }
        const figures = taken.map(
          ({ contestant, figures: { requestsPerSecond } }) => `${contestant} ${Math.round(requestsPerSecond)}/s`,
        );
        progress(`round ${round}, ${scenario.name}, ${turn} of ${turns}: ${figures.join(', ')}`);
        samples.push(...taken);
      }
    }
  }
  return samples;
}

function rotated<Item>(items: readonly Item[], by: number): readonly Item[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
