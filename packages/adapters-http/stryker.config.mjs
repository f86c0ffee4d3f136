import { base } from '../../stryker.base.mjs';

export default {
  ...base,
  mutate: [...base.mutate, '!src/openapi/write-openapi-json.ts'],
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
};
