export { type ExportOptions, exportFile } from './export-file.ts';
