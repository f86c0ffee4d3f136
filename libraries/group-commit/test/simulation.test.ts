import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mutants, withMutant } from './simulation/mutants.ts';
import { findViolations, type Oracle, oracles } from './simulation/oracles.ts';
import { type FaultKind, faultKinds, type Plan, plans } from './simulation/plan.ts';
import { simulate } from './simulation/simulate.ts';

/** Runs 300 plans, always the same. A night runs SIMULATION_PLANS from SIMULATION_SEED. SIMULATION_PLAN repeats a single plan. */
const { SIMULATION_PLANS = '300', SIMULATION_SEED = '1', SIMULATION_PLAN } = process.env;
const numRuns = Number(SIMULATION_PLANS);
const seed = Number(SIMULATION_SEED);
const timeout = 3_600_000;
const names = Object.keys(oracles) as readonly Oracle[];
const single: Plan | undefined = SIMULATION_PLAN && JSON.parse(SIMULATION_PLAN);
const results = runPlans(single ? [single] : fc.sample(plans, { numRuns, seed }));

/** Runs plans, and returns the plans that violate each oracle, and the effects of the faults. */
async function runPlans(given: readonly Plan[]) {
  const violating = new Map<string, Plan>();
  const delivered = new Map<FaultKind, number>();
  for (const plan of given) {
    const run = await simulate(plan);
    for (const { oracle } of findViolations(run)) violating.set(oracle, violating.get(oracle) ?? plan);
    for (const kind of faultKinds) delivered.set(kind, (delivered.get(kind) ?? 0) + (run.delivered[kind] ?? 0));
  }
  return { violating, delivered };
}

test.for(names)('%s', { timeout }, async (oracle) => {
  const { violating } = await results;
  const plan = violating.get(oracle);
  if (plan) expect.fail(await describeViolation(oracle, single ? fc.constant(plan) : plans));
});

/** Finds the shortest plan that violates an oracle. */
async function describeViolation(oracle: Oracle, from: fc.Arbitrary<Plan>): Promise<string> {
  const readPromises = async (plan: Plan) =>
    findViolations(await simulate(plan)).flatMap((each) => (each.oracle === oracle ? [each.promise] : []));
  const property = fc.asyncProperty(from, async (plan) => expect(await readPromises(plan)).toEqual([]));
  const { counterexample } = await fc.check(property, { numRuns, seed });
  const [plan] = counterexample ?? [];
  if (!plan) return 'the same plan violates it no more: the simulation is not deterministic';
  const again = `SIMULATION_PLAN='${JSON.stringify(plan)}' npx -y pnpm@12 vitest run --project group-commit simulation`;
  return `${(await readPromises(plan)).slice(0, 5).join('\n')}\nThe same again:\n${again}`;
}

describe.skipIf(single)('the simulation', () => {
  test('delivers each kind of fault often', { timeout }, async () => {
    const { delivered } = await results;
    const seldom = faultKinds.filter((kind) => (delivered.get(kind) ?? 0) < numRuns / 25);
    expect(seldom).toEqual([]);
  });

  test('is deterministic: equal plans have equal traces, and different plans different ones', async () => {
    const traces = new Set<string>();
    for (const plan of fc.sample(plans, { numRuns: 30, seed })) {
      const one = await simulate(plan);
      const again = await simulate(plan);
      expect(again.trace).toEqual(one.trace);
      traces.add(one.trace.join());
    }
    expect(traces.size).toBeGreaterThan(27);
  });
});

describe.skipIf(single || numRuns > 1_000)('an oracle catches a library that', () => {
  const sample = fc.sample(plans, { numRuns: 1_000, seed: 1 });
  const all = names.flatMap((oracle) => mutants[oracle].map((mutant) => [mutant.does, oracle, mutant] as const));
  test.for(all)('%s: %s', { timeout }, async ([, oracle, mutant]) => {
    await withMutant(mutant, async (library) => {
      const { plan: first = 1 } = mutant;
      for (const plan of [...sample.slice(first - 1), ...sample.slice(0, first - 1)])
        if (findViolations(await simulate(plan, library)).some((each) => each.oracle === oracle)) return;
      expect.fail('no oracle catches it');
    });
  });
});
