export { type ExportOptions, exportFile } from './export-file.ts';
export { type ImportOptions, importFile } from './import-file.ts';
