export type { ExportOptions } from './export-file.ts';
export { formats } from './format.ts';
export type { ImportOptions } from './import-file.ts';

/** Imports a file. A command that does not import loads nothing of it. */
export const importFile: typeof import('./import-file.ts').importFile = async (...given) =>
  (await import('./import-file.ts')).importFile(...given);

/** Exports a store. A command that does not export loads nothing of it. */
export const exportFile: typeof import('./export-file.ts').exportFile = async (...given) =>
  (await import('./export-file.ts')).exportFile(...given);
