import type { Command } from 'commander';
import type { Config, Settings } from '../config/index.ts';
import type { Host } from '../host.ts';
import { printable } from '../printable.ts';

/** Adds the command `config`. */
export function addConfigCommand(program: Command, environment: NodeJS.ProcessEnv, host: Host): void {
  program
    .command('config')
    .description('print the effective configuration, without secrets')
    .option('--json', 'print it as JSON')
    .action(async ({ json }: { readonly json?: true }) => {
      const { readConfig } = await import('../config/index.ts');
      const { checkTokens, developmentTokenFile, hasTokens } = await import('../tokens/index.ts');
      // Rejects whatever `serve` would reject, except for an adapter that is not loaded here.
      const config = readConfig(environment, { tokens: true });
      const tokens = hasTokens(config);
      if (tokens) await checkTokens(config);
      for (const warning of config.warnings) host.stderr.write(`plant-store: ${warning}\n`);
      const generated = tokens ? 'none' : `generated, in ${developmentTokenFile(config.DATA_DIR)}`;
      const shown = await effectiveSettings(environment, { ...config, API_TOKENS: config.API_TOKENS ?? generated });
      const width = Math.max(...shown.map(({ name }) => name.length));
      const lines = shown.map(
        ({ name, source, value }) => `${name.padEnd(width)}  ${source.padEnd(11)}  ${printable(value)}\n`,
      );
      host.stdout.write(json ? `${JSON.stringify(shown, null, 2)}\n` : lines.join(''));
    });
}

interface EffectiveSetting {
  readonly name: string;
  readonly source: 'environment' | 'default';
  readonly value: string;
}

/** The settings with a value and an effect. */
async function effectiveSettings(environment: NodeJS.ProcessEnv, config: Config): Promise<readonly EffectiveSetting[]> {
  const { metadataOf, defaultOf, settings } = await import('../config/index.ts');
  const isSet = (name: string) => environment[name] || (name === 'DATABASE_URL' && environment['DATABASE_URL_FILE']);
  return Object.entries(settings.shape)
    .filter(([name]) => config.JWT_ISSUER || !name.startsWith('JWT_'))
    .flatMap(([name, schema]): EffectiveSetting[] => {
      const value = config[name as keyof Settings] ?? defaultOf(schema);
      if (value === undefined) return [];
      if (!isSet(name)) return [{ name, source: 'default', value: String(value) }];
      const { masked = String } = metadataOf(schema);
      return [{ name, source: 'environment', value: masked(String(value)) }];
    });
}
