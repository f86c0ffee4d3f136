import { type Host, printable } from '@plant-store/command-line';
import type { Command } from 'commander';

/** Adds `config`. */
export function addConfigCommand(program: Command, environment: NodeJS.ProcessEnv, host: Host): void {
  program
    .command('config')
    .description('print the effective configuration, without secrets')
    .option('--json', 'print it as JSON')
    .action(async ({ json }: { readonly json?: true }) => {
      const { readConfig, withUrlFile } = await import('../config/index.ts');
      const { checkTokens, developmentTokenFile, hasTokens } = await import('../tokens/index.ts');
      const config = readConfig(environment);
      // Rejects what serve would reject.
      const tokens = hasTokens(config);
      if (tokens) await checkTokens(config);
      for (const warning of config.warnings) host.stderr.write(`plant-store: ${warning}\n`);
      const derived = {
        DATABASE_URL: config.databaseUrl,
        SHUTDOWN_DELAY_MS: String(config.shutdownDelayMs),
        DOCS: config.docs ? 'on' : 'off',
        API_TOKENS: tokens ? 'none' : `generated, in ${developmentTokenFile(config.dataDirectory)}`,
      };
      const off = config.jwt ? [] : ['JWTs'];
      const shown = await effectiveSettings(withUrlFile(environment), derived, off);
      if (json) host.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
      else host.stdout.write(asText(shown));
    });
}

interface EffectiveSetting {
  readonly group: string;
  readonly name: string;
  readonly source: 'environment' | 'default';
  readonly value: string;
}

/**
 * The settings that have a value.
 *
 * @param derived the effective values of settings that depend on others.
 * @param off groups whose defaults have no effect.
 */
async function effectiveSettings(
  environment: NodeJS.ProcessEnv,
  derived: Readonly<Record<string, string>>,
  off: readonly string[],
): Promise<readonly EffectiveSetting[]> {
  const { defaultOf, settingGroups, textOf } = await import('../config/index.ts');
  return Object.entries(settingGroups).flatMap(([group, table]) =>
    Object.entries(table).flatMap(([name, setting]): EffectiveSetting[] => {
      const given = textOf(environment, name);
      if (given !== undefined)
        return [{ group, name, source: 'environment', value: setting.masked?.(given) ?? derived[name] ?? given }];
      const value = derived[name] ?? setting.default ?? defaultOf(setting);
      return value === undefined || off.includes(group) ? [] : [{ group, name, source: 'default', value }];
    }),
  );
}

/** A line for every setting, below the name of its group. */
function asText(shown: readonly EffectiveSetting[]): string {
  const width = Math.max(...shown.map(({ name }) => name.length));
  const lines = shown.flatMap(({ group, name, source, value }, at) => [
    ...(shown[at - 1]?.group === group ? [] : [`${at === 0 ? '' : '\n'}${group}`]),
    `  ${name.padEnd(width)}  ${source.padEnd(11)}  ${printable(value)}`,
  ]);
  return lines.map((line) => `${line}\n`).join('');
}
