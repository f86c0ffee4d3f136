import type { Command } from 'commander';
import { type Config, readConfig } from '../config/config.ts';
import { isOtlpOn, readOtlpSettings } from '../config/otlp-settings.ts';
import { textOf } from '../config/setting.ts';
import { allSettings, defaultOf } from '../config/settings-text.ts';
import { hasTokens } from '../tokens/has-tokens.ts';
import { listedTokens } from '../tokens/open-tokens.ts';
import { command } from './command.ts';

/** `config`. */
export function configCommand(environment: NodeJS.ProcessEnv): Command {
  return command(
    'config',
    'print the configuration as it is in effect, and where each value comes from; no secrets',
  ).action(() => {
    const config = readConfig(environment);
    // What the service would not start with is wrong here, too.
    if (hasTokens(config)) listedTokens(config);
    if (isOtlpOn(environment)) readOtlpSettings(environment);
    process.stdout.write(configText(environment, resolved(config)));
  });
}

/** What becomes of settings that are not set, where that depends on others. */
function resolved(config: Config): Readonly<Record<string, string>> {
  return {
    DATABASE_URL: config.databaseUrl,
    SHUTDOWN_DELAY_MS: String(config.shutdownDelayMs),
    ...(hasTokens(config) && { API_TOKENS: 'none' }),
  };
}

/** A line for every setting. */
function configText(environment: NodeJS.ProcessEnv, otherwise: Readonly<Record<string, string>>): string {
  const rows = Object.entries(allSettings).map(([name, setting]): [string, string, string] => {
    const given = textOf(environment, name);
    const shown =
      given === undefined
        ? (otherwise[name] ?? setting.default ?? defaultOf(setting) ?? '')
        : (setting.masked?.(given) ?? given);
    return [name, given === undefined ? 'default' : 'environment', shown];
  });
  const width = Math.max(...rows.map(([name]) => name.length));
  return (
    rows.map(([name, source, shown]) => `${name.padEnd(width)}  ${source.padEnd(11)}  ${shown}`.trimEnd()).join('\n') +
    '\n'
  );
}
