import { ContractViolation, eventually, show } from '@plant-store/contracts-kit';
import type { EngineClause } from './model-engine.ts';
import { expectStored, inEachFault, isUnavailable, numbered, onEngine, resolves, resultOf, write } from './place.ts';

/** The clauses about `probe`: GE-10 and GE-11. */
export const probeClauses: readonly EngineClause[] = [
  {
    id: 'GE-10',
    since: '2026-12',
    title: 'probe resolves while the engine can write, and writes nothing',
    check: onEngine(async (subject) => {
      const { engine, place, tools } = subject;
      for (let time = 1; time <= PROBES; time += 1) {
        await resolves(tools, `called probe(), time ${time}`, () => engine.probe());
      }
      const action = `called probe() ${PROBES} times`;
      await expectStored(subject, [], action);
      await write(subject, numbered(place, [1], 'item'), `${action}, then wrote an item`);
    }),
    mutants: {
      'writes an item to probe': ({ probe }, engine) => ({
        async probe() {
          await probe();
          engine.insert({ number: 0, text: 'probe' });
        },
      }),
      'leaks one of ten connections in each probe': ({ probe }) => {
        let free = 10;
        return {
          async probe() {
            free -= 1;
            if (free < 0) await new Promise(() => {});
            await probe();
          },
        };
      },
    },
  },
  {
    id: 'GE-11',
    since: '2026-12',
    title: 'probe does not resolve while no item can be written, or none would be durable, and resolves afterwards',
    check: inEachFault(
      ({ outages }) => outages,
      async ({ engine, place, tools }, startOutage, name) => {
        const end = await startOutage();
        const action = `called probe() while ${name}`;
        try {
          // The probe may hang, because group commit has a timeout.
          const result = await Promise.race([resultOf(() => engine.probe()), tools.sleep(PROBE_MS)]);
          if (result && 'value' in result) throw new ContractViolation(action, 'it resolved', 'it throws Unavailable');
          if (result && !isUnavailable(place, result.error))
            throw new ContractViolation(action, `it threw ${show(result.error)}`, 'it throws Unavailable');
        } finally {
          await end();
        }
        await eventually(tools, `called probe() once it was over that ${name}`, () => engine.probe());
      },
    ),
    mutants: {
      'probes without the database': () => ({ probe: async () => {} }),
      'does not check whether a commit would be durable': (_, engine) => ({ probe: () => engine.reach() }),
      'throws another error': ({ probe }) => ({
        probe: () => probe().catch(({ message }) => Promise.reject(new Error(message))),
      }),
      'fails forever after its first failure': ({ probe }) => {
        let probing: Promise<void> = Promise.resolve();
        return { probe: () => (probing = probing.then(probe)) };
      },
    },
  },
];

/** Enough to exhaust any usual pool, if each probe leaked a connection. */
const PROBES = 30;

/** 1 s: enough time for a wrong probe to resolve. */
const PROBE_MS = 1_000;
