export type { BatchEngine, Failure, ItemSpec } from './batch-engine.ts';
export { type ErrorClasses, Overloaded, Unavailable } from './errors.ts';
export type { GroupCommitEvents } from './events.ts';
export { type GroupCommit, groupCommit } from './group-commit.ts';
export { type GroupCommitLimits, groupCommitLimits, type Limits, parseLimits } from './limits.ts';
export type { Platform } from './platform.ts';
