export type { BatchEngine, Failure, ItemSpec } from './batch-engine.ts';
export { type ErrorClasses, Overloaded, Unavailable } from './errors.ts';
export type { GroupCommitEvents } from './events.ts';
export { type GroupCommit, groupCommit } from './group-commit.ts';
export {
  type GivenLimits,
  type GroupCommitLimits,
  groupCommitLimits,
  type Limit,
  type Limits,
  type LimitsOf,
  parseLimits,
  positive,
} from './limits.ts';
export type { Platform } from './platform.ts';
