export { type Application, compose, type Overrides } from './compose.ts';
export { type Address, type Config, ConfigError, readConfig } from './config.ts';
export { linesTogether } from './lines-together.ts';
