export { type Application, compose, type Overrides } from './compose.ts';
export { type Address, type Config, ConfigError, readConfig } from './config/index.ts';
export { type Log, openLog } from './logging/index.ts';
