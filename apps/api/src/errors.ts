/**
 * Invalid configuration: exit code 2, except in `serve`. The message lists the faults and what was expected, one per line.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
