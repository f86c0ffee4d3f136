import type { Contestant } from '../contestants/contestant.ts';
import type { Resources } from '../resources.ts';
import type { Sample } from '../samples.ts';
import { closedLoad, type Settings } from '../settings.ts';
import { measure, onNewTable, type Scenario } from './measure.ts';

const CONNECTIONS = 64;
const FIRST = 100_000;
const STEPS = 10;

/** One process per contestant that creates plants continuously, with its memory measured along the way. */
export async function measureMemory(
  contestants: readonly Contestant[],
  settings: Settings,
  resources: Resources,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (const contestant of contestants) {
    samples.push(
      ...(await onNewTable(contestant, resources, (table) =>
        measure(contestant, table, { resources, scenarios: scenariosOf(settings), round: 1 }),
      )),
    );
  }
  return samples;
}

export function createsName(creates: number): string {
  return `after ${creates.toLocaleString('en')} creates`;
}

function scenariosOf(settings: Settings): readonly Scenario[] {
  const step = Math.floor((settings.creates - FIRST) / STEPS);
  const totals = [FIRST, ...Array.from({ length: STEPS - 1 }, (_, at) => FIRST + step * (at + 1)), settings.creates];
  return totals.map((total, at) => ({
    name: createsName(total),
    load: { ...closedLoad(settings, CONNECTIONS), seconds: A_DAY, requests: total - (totals[at - 1] ?? 0) },
  }));
}

/** The number of requests ends it. */
const A_DAY = 86_400;
