export type { BatchEngine, Done, ItemSpec, Outcome, Refused } from './batch-engine.ts';
export { type ErrorClass, type ErrorClasses, Misconfigured, Overloaded, Unavailable, Unsafe } from './errors.ts';
export type { GroupCommitEvents } from './events.ts';
export { type GroupCommit, groupCommit } from './group-commit.ts';
export {
  type GivenLimits,
  type GroupCommitLimits,
  groupCommitLimits,
  type Limit,
  type Limits,
  type LimitsOf,
  limitsOf,
  positive,
} from './limits.ts';
export type { Messages } from './messages.ts';
export { type Platform, withTimeout } from './platform.ts';
