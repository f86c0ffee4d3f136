/**
 * Invalid configuration: exit code 2. The message lists the faults and what was expected, one per line.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
