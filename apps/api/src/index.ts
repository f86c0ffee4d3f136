export { type Application, compose, type Overrides } from './compose.ts';
export { type Address, type Config, ConfigError, readConfig } from './config/index.ts';
export { logBuffer } from './logging/index.ts';
