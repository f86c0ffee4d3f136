import { base } from '../../stryker.base.mjs';

export default {
  ...base,
  // It runs in a process of its own, which Stryker does not reach.
  mutate: [...base.mutate, '!src/writer/program.ts'],
  // The process takes on another user in some tests, which a thread of it may not.
  vitest: { ...base.vitest, configFile: 'vitest.mutation.config.ts', pool: 'forks' },
};
