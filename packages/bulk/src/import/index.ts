export { type Connections, createOverHttp } from './create-over-http.ts';
export { type Destination, inService, inStore, type Opening } from './destination.ts';
export { importFile } from './import-file.ts';
export type { ImportOptions } from './import-options.ts';
export { RetryAfter } from './retry.ts';
