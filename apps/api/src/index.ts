export { type Application, compose, type Overrides } from './compose.ts';
export { type Config, readConfig } from './config/index.ts';
export { ConfigError } from './errors.ts';
export { type Log, openLog } from './logging/index.ts';
export { loadStorageAdapter } from './stores/index.ts';
