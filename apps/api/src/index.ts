export { type Application, compose, type Overrides } from './compose.ts';
export { type Address, type Config, ConfigError, readConfig } from './config/config.ts';
export { linesTogether } from './logging/log-buffer.ts';
