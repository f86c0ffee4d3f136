export { type ImportOptions, importFile } from './import-file.ts';
