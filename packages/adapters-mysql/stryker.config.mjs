import { base } from '../../stryker.base.mjs';

export default { ...base, vitest: { ...base.vitest, configFile: 'vitest.mutation.config.ts' } };
