/**
 * Invalid configuration: exit code 2. The message lists the faults and what was expected, one per line.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The faults of a configuration, one a line. */
export function invalid(faults: readonly string[]): ConfigError {
  return new ConfigError(`Invalid configuration:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
}
