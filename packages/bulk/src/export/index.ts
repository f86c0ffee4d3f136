export { type ExportOptions, type ExportSource, exportFile } from './export-file.ts';
