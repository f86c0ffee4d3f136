import { base } from '../../stryker.base.mjs';

// The process takes on another user in some tests, which a thread of it may not.
export default { ...base, vitest: { ...base.vitest, pool: 'forks' } };
