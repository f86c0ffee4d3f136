import type { Contestant, RunningContestant } from '../contestants/contestant.ts';
import type { Measurement } from '../contestants/measurement.ts';
import { progress } from '../progress.ts';
import type { Resources } from '../resources.ts';
import type { Sample } from '../samples.ts';
import { closedLoad, type Settings } from '../settings.ts';
import type { Table } from '../stores/table.ts';
import { figureOf, onNewTable, type Scenario, whileRunning } from './measure.ts';

/** How long a turn takes, in seconds. A shared machine can be half as fast a second later. */
const TURN_SECONDS = 1;

export interface ScenarioInTurn extends Scenario {
  /** Whether the scenarios after this one are of no use for a contestant, by what it has shown in each turn. */
  isLast?(measurement: Measurement): boolean;
}

interface Entrant {
  readonly contestant: Contestant;
  readonly table: Table | undefined;
}

interface Runner {
  readonly name: string;
  readonly running: RunningContestant;
}

/**
 * Every scenario by all contestants in turn, so that what the machine does meanwhile affects all of them alike. Each round
 * has new processes and empty tables; all of them run at once, and those whose turn it is not get no load. What a contestant
 * keeps for less time than the others' turns take, it makes again in its own, such as connections of a pool.
 */
export async function inTurn(
  contestants: readonly Contestant[],
  settings: Settings,
  resources: Resources,
  scenarios: readonly ScenarioInTurn[],
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const warmUp = { ...closedLoad(settings, Math.max(...settings.connections)), seconds: settings.warmUpSeconds };
  for (let round = 1; round <= settings.rounds; round += 1) {
    const ofRound = await withAll<Contestant, Entrant>(
      contestants,
      (contestant, use) => onNewTable(contestant, resources, (table) => use({ contestant, table })),
      // All tables are settled before the first warm-up: PostgreSQL has one checkpoint for all of them.
      (entrants) =>
        withAll<Entrant, Runner>(
          entrants,
          ({ contestant, table }, use) =>
            whileRunning(contestant, table, resources, warmUp, (running) => {
              progress(`${contestant.name} is running`);
              return use({ name: contestant.name, running });
            }),
          (runners) => oneRound(runners, scenarios, settings.seconds, round),
        ),
    );
    samples.push(...ofRound);
  }
  return samples;
}

/** Opens one thing after the other, each inside the one before, and passes all of them to the callback. */
async function withAll<Item, Opened>(
  [next, ...others]: readonly Item[],
  open: (item: Item, use: (opened: Opened) => Promise<readonly Sample[]>) => Promise<readonly Sample[]>,
  use: (all: readonly Opened[]) => Promise<readonly Sample[]>,
  before: readonly Opened[] = [],
): Promise<readonly Sample[]> {
  if (next === undefined) return use(before);
  return open(next, (opened) => withAll(others, open, use, [...before, opened]));
}

async function oneRound(
  runners: readonly Runner[],
  scenarios: readonly ScenarioInTurn[],
  seconds: number,
  round: number,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const turns = Math.ceil(seconds / TURN_SECONDS);
  let left = runners;
  for (const { name: scenario, load, isLast } of scenarios) {
    const before = samples.length;
    for (let turn = 1; turn <= turns; turn += 1) {
      const figures: string[] = [];
      // Each turn begins with another one.
      for (const { name: contestant, running } of rotated(left, round + turn)) {
        const measurement = await running.measure({ ...load, seconds: seconds / turns });
        figures.push(`${contestant} ${figureOf(measurement)}`);
        if (measurement) samples.push({ contestant, scenario, round, turn, measurement });
      }
      progress(`round ${round}, ${scenario}, ${turn} of ${turns}: ${figures.join(', ')}`);
    }
    const taken = samples.slice(before);
    left = left.filter(({ name }) => {
      const own = taken.filter(({ contestant }) => contestant === name);
      return own.length === 0 || !own.every(({ measurement }) => isLast?.(measurement));
    });
  }
  return samples;
}

function rotated<Item>(items: readonly Item[], by: number): readonly Item[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
