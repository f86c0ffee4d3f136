import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type Plan, plans } from './simulation/plan.ts';
import { randomFrom } from './simulation/random.ts';
import { simulate } from './simulation/simulate.ts';

/** 1,000 plans, always the same; SIMULATION_SEEDS draws so many others. SIMULATION_PLAN is one of them again. */
const { SIMULATION_SEEDS, SIMULATION_PLAN } = process.env;

const options = SIMULATION_SEEDS ? { timeout: 3_600_000 } : {};

test('group commit keeps its promises whatever its clients and its engine do', options, async () => {
  if (SIMULATION_PLAN) return expect(await run(JSON.parse(SIMULATION_PLAN))).toEqual([]);
  const keeps = fc.asyncProperty(plans, async (plan) => {
    expect(await run(plan)).toEqual([]);
  });
  const seed = SIMULATION_SEEDS ? Date.now() % 2 ** 31 : 1;
  const { counterexample } = await fc.check(keeps, { numRuns: Number(SIMULATION_SEEDS ?? 1_000), seed });
  if (!counterexample) return;
  const broken = (await run(counterexample[0])).slice(0, 5).join('\n');
  const again = `SIMULATION_PLAN='${JSON.stringify(counterexample[0])}' npx -y pnpm@12 vitest run --project group-commit simulation`;
  expect.fail(`${broken}\nThe same again, which is the shortest that was found with the seed ${seed}:\n${again}`);
});

/** Chance is the plan's too. */
async function run(plan: Plan): Promise<readonly string[]> {
  const random = vi.spyOn(Math, 'random').mockImplementation(randomFrom(plan.seed + 1));
  try {
    return await simulate(plan);
  } finally {
    random.mockRestore();
  }
}
