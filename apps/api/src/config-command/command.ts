import type { Command } from 'commander';
import { command } from '../command.ts';
import { type Config, readConfig } from '../config.ts';
import { hasTokens } from '../has-tokens.ts';
import { listedTokens } from '../open-tokens.ts';
import { textOf } from '../setting.ts';
import { isOtlpOn, readOtlpSettings } from '../telemetry/otlp-settings.ts';
import { allSettings, defaultOf } from './settings-text.ts';

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
