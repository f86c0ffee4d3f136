export type { ImportOptions } from './options.ts';
export { runImport } from './run-import.ts';
