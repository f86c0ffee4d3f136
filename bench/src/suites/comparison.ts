import type { Contestant } from '../contestants/contestant.ts';
import type { Resources } from '../resources.ts';
import type { Sample } from '../samples.ts';
import { closedLoad, type Settings } from '../settings.ts';
import { measure, onNewTable, type Scenario } from './measure.ts';

/**
 * All contestants in every round, each with a new process and an empty table. Each round begins with another one, so that
 * order and fluctuations of the machine affect all of them alike.
 */
export async function compare(
  contestants: readonly Contestant[],
  settings: Settings,
  resources: Resources,
): Promise<readonly Sample[]> {
  return inTurn(contestants, settings, resources, [
    ...settings.connections.map((count) => ({ name: scenarioName(count), load: closedLoad(settings, count) })),
    ...(settings.rates ?? DEFAULT_RATES).map((rate) => atRate(settings, rate)),
  ]);
}

/** Requests per second on an ordinary day, and on a busy one. */
const DEFAULT_RATES = [500, 2_000, 4_000];

/** The scenarios, by every contestant in every round. */
export async function inTurn(
  contestants: readonly Contestant[],
  settings: Settings,
  resources: Resources,
  scenarios: readonly Scenario[],
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const warmUp = { ...closedLoad(settings, Math.max(...settings.connections)), seconds: settings.warmUpSeconds };
  for (let round = 1; round <= settings.rounds; round += 1) {
    for (const contestant of rotated(contestants, round - 1)) {
      samples.push(
        ...(await onNewTable(contestant, resources, (table) =>
          measure(contestant, table, { resources, warmUp, scenarios, round }),
        )),
      );
    }
  }
  return samples;
}

/** Requests at a constant rate, over as many connections as there are at the most. */
export function atRate(settings: Settings, rate: number): Scenario {
  return { name: rateName(rate), load: { ...closedLoad(settings, Math.max(...settings.connections)), rate } };
}

export function rateName(rate: number): string {
  return `${rate.toLocaleString('en')} requests/s`;
}

export function scenarioName(connections: number): string {
  return connections === 1 ? '1 connection' : `${connections.toLocaleString('en')} connections`;
}

function rotated<Item>(items: readonly Item[], by: number): readonly Item[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
