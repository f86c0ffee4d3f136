export { errorMessage, IncompleteError, UsageError } from './errors.ts';
export type { Host } from './host.ts';
export { interruption, untilAborted } from './interruption.ts';
export { printable, printableLines } from './printable.ts';
export { progressLine, type Terminal } from './progress-line.ts';
export { showProgress, whole } from './show-progress.ts';
