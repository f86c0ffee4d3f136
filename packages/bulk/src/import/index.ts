export { type Destination, type ImportOptions, importFile } from './import-file.ts';
