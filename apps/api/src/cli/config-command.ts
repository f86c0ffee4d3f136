import { type Host, printable } from '@plant-store/command-line';
import type { Command } from 'commander';
import type { Config } from '../config/index.ts';

/** Adds `config`. */
export function addConfigCommand(program: Command, environment: NodeJS.ProcessEnv, host: Host): void {
  program
    .command('config')
    .description('print the effective configuration, without secrets')
    .action(async () => {
      const { isOtlpOn, readConfig, readOtlpSettings, withUrlFile } = await import('../config/index.ts');
      const { checkTokens, hasTokens } = await import('../tokens/index.ts');
      const config = readConfig(environment);
      // Rejects what serve would reject.
      const tokens = hasTokens(config);
      if (tokens) await checkTokens(config);
      if (isOtlpOn(environment)) readOtlpSettings(environment);
      for (const warning of config.warnings) host.stderr.write(`plant-store: ${warning}\n`);
      host.stdout.write(await configText(withUrlFile(environment), derivedValues(config, tokens)));
    });
}

/** The effective values of settings that depend on others. */
function derivedValues(config: Config, hasTokens: boolean): Readonly<Record<string, string>> {
  return {
    DATABASE_URL: config.databaseUrl,
    MAX_BODY_BYTES_IN_FLIGHT: String(config.maxBodyBytesInFlight),
    SHUTDOWN_DELAY_MS: String(config.shutdownDelayMs),
    ...(hasTokens && { API_TOKENS: 'none' }),
  };
}

/** A line for every setting. */
async function configText(environment: NodeJS.ProcessEnv, derived: Readonly<Record<string, string>>): Promise<string> {
  const { allSettings, defaultOf, textOf } = await import('../config/index.ts');
  const rows = Object.entries(allSettings).map(([name, setting]): [string, string, string] => {
    const given = textOf(environment, name);
    if (given !== undefined) return [name, 'environment', setting.masked?.(given) ?? derived[name] ?? given];
    return [name, 'default', derived[name] ?? setting.default ?? defaultOf(setting) ?? ''];
  });
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, source, value]) =>
    `${name.padEnd(width)}  ${source.padEnd(11)}  ${printable(value)}`.trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
