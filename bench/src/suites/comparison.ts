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
  const samples: Sample[] = [];
  const warmUp = { ...closedLoad(settings, Math.max(...settings.connections)), seconds: settings.warmUpSeconds };
  const scenarios = scenariosOf(settings);
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

export function scenarioName(connections: number): string {
  return connections === 1 ? '1 connection' : `${connections.toLocaleString('en')} connections`;
}

function scenariosOf(settings: Settings): readonly Scenario[] {
  const { connections, rate } = settings;
  const most = Math.max(...connections);
  return [
    ...connections.map((count) => ({ name: scenarioName(count), load: closedLoad(settings, count) })),
    {
      name: `constant rate of ${rate.toLocaleString('en')} requests/s`,
      load: { ...closedLoad(settings, most), rate },
    },
  ];
}

function rotated<Item>(items: readonly Item[], by: number): readonly Item[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
