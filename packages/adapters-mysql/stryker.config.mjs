import { join } from 'node:path';
import { base } from '../../stryker.base.mjs';

export default {
  ...base,
  // An absolute path: what it imports is not in the copy of the package.
  vitest: { ...base.vitest, configFile: join(import.meta.dirname, 'vitest.mutation.config.ts') },
  // Tests leave their databases on the server, which ends with its runner: by then they take a gigabyte.
  maxTestRunnerReuse: 25,
};
