export { type ExportOptions, runExport } from './run-export.ts';
