export { checkAndReport, type Reporting } from './check-and-report.ts';
export { cleanupOnExit, type Place } from './cleanup-on-exit.ts';
export { type Command, commonHelp, commonOptions, type Host, runCommand, runProcess } from './command.ts';
export { errorMessage, UsageError } from './errors.ts';
export { printable } from './printable.ts';
export { type Selection, selectClauses } from './select-clauses.ts';
export { type StoppableRun, type Stopped, stopWhenUnreachable } from './stop-when-unreachable.ts';
