import { base } from '../../stryker.base.mjs';

export default {
  ...base,
  // The process takes on another user in some tests, which a thread of it may not.
  vitest: { configFile: 'vitest.config.ts', related: false, pool: 'forks' },
};
