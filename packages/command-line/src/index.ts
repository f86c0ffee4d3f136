export { errorMessage, IncompleteError, UsageError } from './errors.ts';
export type { Host } from './host.ts';
export { interruption, untilAborted } from './interruption.ts';
export { printable, printableLines } from './printable.ts';
export { progressLine, type Terminal } from './progress-line.ts';
export { isSameFile } from './same-file.ts';
export { showProgress, whole } from './show-progress.ts';
export { openTarget, type Target, type TargetOptions } from './target.ts';
export { undefinedIfAbsent } from './undefined-if-absent.ts';
