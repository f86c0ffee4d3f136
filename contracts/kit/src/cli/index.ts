export { type Command, commonHelp, type Host, runCommand, runProcess, SetupError, UsageError } from './command.ts';
export { errorMessage, printable } from './messages.ts';
export { type Check, commandTime, prepareCheck } from './prepare-check.ts';
