export { errorMessage, IncompleteError, UsageError } from './errors.ts';
export type { Host } from './host.ts';
export { printable, printableLines } from './printable.ts';
export { progressLine, type Terminal } from './progress-line.ts';
export { isSameFile } from './same-file.ts';
export { openTarget, type Target, type TargetOptions } from './target.ts';
export { undefinedIfAbsent } from './undefined-if-absent.ts';
