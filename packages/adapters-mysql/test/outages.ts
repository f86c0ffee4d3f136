import type { Faults } from '@plant-store/adapters-mysql/harness';
import type { DedicatedServer } from '@plant-store/testing-mysql';

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
