import type { Contestant } from '../contestants/contestant.ts';
import type { Resources } from '../resources.ts';
import type { Sample } from '../samples.ts';
import { closedLoad, type Settings } from '../settings.ts';
import { inTurn } from './in-turn.ts';
import type { Scenario } from './measure.ts';

/** Numbers of connections that never pause, then constant rates. */
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
