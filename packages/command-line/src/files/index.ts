export { isSameFile } from './same-file.ts';
export { openTarget, type Target, type TargetOptions } from './target.ts';
