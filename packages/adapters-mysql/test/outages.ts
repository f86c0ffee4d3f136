import { mysqlCapabilities } from '@plant-store/adapters-mysql';
import { type Faults, mysqlHarness } from '@plant-store/adapters-mysql/harness';
import type { plantRepositoryContract } from '@plant-store/contracts-stores';
import type { DedicatedServer } from '@plant-store/testing-mysql';

type Clause = (typeof plantRepositoryContract.clauses)[number];

/** Selects the clauses that bind a store only if it has this capability. */
const needs = (capability: 'external' | 'survivesServerCrash') => {
  const without = { ...mysqlHarness(''), capabilities: { ...mysqlCapabilities, [capability]: false } };
  return ({ appliesTo }: Clause) => appliesTo?.(without) === false;
};
export const aboutOutages = needs('external');
export const aboutCrashes = needs('survivesServerCrash');

/** The server is killed and restarted. */
export function killing({ kill, start }: DedicatedServer): Faults {
  const killServer = async () => {
    await kill();
    return start;
  };
  return { startOutage: killServer, killServer };
}

/** The server is paused and resumed. */
export function freezing({ pause, resume }: DedicatedServer): Faults {
  return {
    async startOutage() {
      await pause();
      return resume;
    },
  };
}
