import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mutants } from './simulation/mutants.ts';
import { oracles, violationsIn } from './simulation/oracles.ts';
import { faultKinds, plans } from './simulation/plan.ts';
import type { Run } from './simulation/records.ts';
import { simulate } from './simulation/simulate.ts';
import { avoiding, type State, stateNames, statesIn } from './simulation/states.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** The figures of a simulation, in the JSON report. */
    simulation?: Figures;
  }
}

interface Figures {
  /** The plans that ran, up to the first that fails. */
  plans: number;
  readonly seed: number;
  /** The effects of each kind of fault. */
  readonly delivered: Record<(typeof faultKinds)[number], number>;
  /** The plans that reached each state. */
  readonly states: Record<State, number>;
}

/** Runs 1,000 plans, always the same. A night runs SIMULATION_PLANS from SIMULATION_SEED. SIMULATION_PLAN repeats a single plan. */
const { SIMULATION_PLANS, SIMULATION_SEED, SIMULATION_PLAN } = process.env;
const isNight = SIMULATION_PLANS !== undefined;
const seed = Number(SIMULATION_SEED ?? 1);
const count = Number(SIMULATION_PLANS ?? 1_000);
const vitest = 'npx -y pnpm@12 exec vitest run --project group-commit simulation';

test('group commit keeps its promises whatever its clients and its engine do', {
  timeout: 3_600_000,
}, async (context) => {
  if (SIMULATION_PLAN) return expect(violationsOf(await simulate(JSON.parse(SIMULATION_PLAN)))).toEqual([]);
  const figures: Figures = { plans: 0, seed, delivered: zeros(faultKinds), states: zeros(stateNames) };
  let hasFailed = false;
  const property = fc.asyncProperty(plans, async (plan) => {
    const run = await simulate(plan);
    const violations = violationsOf(run);
    // After a failure, plans are shorter ones of the one that failed.
    if (!hasFailed) {
      figures.plans += 1;
      for (const kind of faultKinds) figures.delivered[kind] += run.delivered[kind] ?? 0;
      for (const state of statesIn(run)) figures.states[state] += 1;
    }
    hasFailed ||= violations.length > 0;
    expect(violations).toEqual([]);
  });
  const { counterexample } = await fc.check(property, { numRuns: count, seed });
  context.task.meta.simulation = figures;
  if (counterexample) {
    const violations = violationsOf(await simulate(counterexample[0]))
      .slice(0, 5)
      .join('\n');
    const again = `SIMULATION_PLAN='${JSON.stringify(counterexample[0])}' ${vitest}`;
    expect.fail(`${violations}\nThe same again, which is the shortest that was found with the seed ${seed}:\n${again}`);
  }
  const missed = stateNames.filter((state) => figures.states[state] === 0);
  expect(missed, `${count} plans have to reach every state`).toEqual([]);
  const often = Object.entries(figures.delivered).filter(([, times]) => times > 0.15 * count);
  expect(often.map(([kind]) => kind).toSorted(), JSON.stringify(figures.delivered)).toEqual(faultKinds.toSorted());
});

function violationsOf(run: Run): readonly string[] {
  return violationsIn(run).map(({ oracle, promise }) => `${oracle}: ${promise}`);
}

const zeros = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;

describe.skipIf(isNight || SIMULATION_PLAN)('the simulation', () => {
  const sample = fc.sample(plans, { numRuns: 1_000, seed: 1 });

  test('has plans without faults', () => {
    expect(sample.filter(({ faults }) => faults.length === 0).length).toBeGreaterThan(30);
  });

  test('counts a state only if it is there: a plan that reached it does not if it is changed to avoid it', async () => {
    const left = new Set(stateNames);
    for (const plan of sample)
      for (const state of statesIn(await simulate(plan)).filter((each) => left.delete(each)))
        expect(statesIn(await simulate(avoiding[state](plan))), JSON.stringify(plan)).not.toContain(state);
    expect([...left]).toEqual([]);
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
