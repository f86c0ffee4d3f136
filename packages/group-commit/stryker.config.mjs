import { base } from '../../stryker.base.mjs';

export default { ...base, vitest: { configFile: 'vitest.config.ts', related: false } };
