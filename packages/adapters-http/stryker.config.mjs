import { base } from '../../stryker.base.mjs';

export default {
  ...base,
  mutate: [...base.mutate, '!src/openapi/write-openapi-json.ts'],
};
