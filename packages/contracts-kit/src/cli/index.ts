export { checkAndReport, type Reporting } from './check-and-report.ts';
export { cleanupOnExit, type Place } from './cleanup-on-exit.ts';
export { type Selection, selectClauses } from './select-clauses.ts';
export { type StoppableRun, type Stopped, stopWhenUnreachable } from './stop-when-unreachable.ts';
