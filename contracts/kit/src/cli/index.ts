export { selectClauses, UsageError } from '../select-clauses.ts';
export { prepareCheck } from './check-and-report.ts';
export { cleanupOnExit } from './cleanup-on-exit.ts';
export { type Command, commonHelp, runCommand, runProcess } from './command.ts';
export { errorMessage, printable } from './messages.ts';
export { badge, type PublishedReport } from './published-report.ts';
export { SetupError } from './setup-error.ts';
