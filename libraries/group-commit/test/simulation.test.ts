import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mutants } from './simulation/mutants.ts';
import { oracles, violationsIn } from './simulation/oracles.ts';
import { faultKinds, type Plan, plans } from './simulation/plan.ts';
import { simulate } from './simulation/simulate.ts';

/**
 * Runs 1,000 plans, always the same. A nightly run draws SIMULATION_PLANS others, from SIMULATION_SEED or a new seed, and appends
 * a line to nights.json. SIMULATION_PLAN repeats a single plan.
 */
const { SIMULATION_PLANS, SIMULATION_SEED, SIMULATION_PLAN } = process.env;
const isNight = SIMULATION_PLANS !== undefined;
const seed = Number(SIMULATION_SEED ?? (isNight ? Date.now() % 2 ** 31 : 1));
const count = Number(SIMULATION_PLANS ?? 1_000);
const vitest = 'npx -y pnpm@12 exec vitest run --project group-commit simulation';

test('group commit keeps its promises whatever its clients and its engine do', { timeout: 3_600_000 }, async () => {
  if (SIMULATION_PLAN) return expect(await violationsOf(JSON.parse(SIMULATION_PLAN))).toEqual([]);
  const property = fc.asyncProperty(plans, async (plan) => {
    expect(await violationsOf(plan)).toEqual([]);
  });
  const { counterexample } = await fc.check(property, { numRuns: count, seed });
  if (isNight) recordNight(counterexample ? 1 : 0);
  if (!counterexample) return;
  const violations = (await violationsOf(counterexample[0])).slice(0, 5).join('\n');
  const again = `SIMULATION_PLAN='${JSON.stringify(counterexample[0])}' ${vitest}`;
  expect.fail(`${violations}\nThe same again, which is the shortest that was found with the seed ${seed}:\n${again}`);
});

async function violationsOf(plan: Plan): Promise<readonly string[]> {
  return violationsIn(await simulate(plan)).map(({ oracle, promise }) => `${oracle}: ${promise}`);
}

function recordNight(failures: number): void {
  const file = join(import.meta.dirname, '../nights.json');
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  const command = `SIMULATION_SEED=${seed} SIMULATION_PLANS=${count} ${vitest}`;
  const nights: unknown[] = [
    ...JSON.parse(readFileSync(file, 'utf8')),
    { commit, plans: count, seeds: [seed], failures, command },
  ];
  writeFileSync(file, `[\n${nights.map((night) => `  ${JSON.stringify(night)}`).join(',\n')}\n]\n`);
}

describe.skipIf(isNight || SIMULATION_PLAN)('the simulation', () => {
  const sample = fc.sample(plans, { numRuns: 1_000, seed: 1 });

  test('often delivers every kind of fault, and has plans without faults', async () => {
    const delivered: Record<string, number> = {};
    for (const plan of sample)
      for (const [kind, times] of Object.entries((await simulate(plan)).delivered))
        delivered[kind] = (delivered[kind] ?? 0) + times;
    const often = Object.entries(delivered).filter(([, times]) => times >= 150);
    expect(often.map(([kind]) => kind).toSorted(), JSON.stringify(delivered)).toEqual(faultKinds.toSorted());
    expect(sample.filter(({ faults }) => faults.length === 0).length).toBeGreaterThan(30);
  });

  test('is deterministic: equal plans have equal traces, and different plans different ones', async () => {
    const traces = new Set<string>();
    for (const plan of sample.slice(0, 100)) {
      const [one, again] = [await simulate(plan), await simulate(plan)];
      expect(again.trace).toEqual(one.trace);
      traces.add(one.trace.join());
    }
    expect(traces.size).toBeGreaterThan(95);
  });

  test.for(mutants)('only with its oracle of %s catches the mutant that %s', async ([oracle, , create]) => {
    const catching = new Set<string>();
    for (const [at, plan] of sample.entries()) {
      if (at >= 100 && catching.size > 0) break;
      for (const each of violationsIn(await simulate(plan, create))) catching.add(each.oracle);
    }
    expect(catching).toEqual(new Set([oracle]));
  });

  test('has a mutant for each oracle', () => {
    expect(new Set(mutants.map(([oracle]) => oracle))).toEqual(new Set(Object.keys(oracles)));
  });
});
