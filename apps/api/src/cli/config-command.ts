import { maskedUrl, readConfig } from '../config.ts';
import { describeSetting, settings } from '../settings.ts';
import { loadStorageAdapter } from '../stores.ts';
import { hasTokens, openTokens } from '../tokens.ts';

/** The settings with a value, as lines without secrets. @throws {ConfigError} if a setting or a file of tokens is invalid. */
export async function effectiveSettings(environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const outside = await loadStorageAdapter(environment['STORAGE_ADAPTER']);
  const config = readConfig(environment, { outside, tokens: true });
  if (hasTokens(config)) await (await openTokens(config, () => {})).close();
  const shown: Readonly<Record<string, unknown>> = {
    ...config,
    DATABASE_URL: maskedUrl(config.DATABASE_URL),
    API_TOKENS: config.API_TOKENS && '***',
    JWT_JWKS_URL: config.JWT_JWKS_URL && maskedUrl(config.JWT_JWKS_URL),
  };
  const lines = Object.keys(settings.shape).flatMap((name) =>
    shown[name] === undefined ? [] : [`${name.padEnd(28)} ${shown[name]}`],
  );
  return [...lines, ...config.warnings.map((warning) => `# ${warning}`)];
}

/** Each setting with its description, form and default, as lines. */
export async function environmentHelp(): Promise<readonly string[]> {
  const lines = Object.keys(settings.shape).flatMap((name) => {
    const { description, expected, byDefault } = describeSetting(name);
    return [`  ${name}`, `      ${description}`, `      ${expected}${byDefault && ` (default: ${byDefault})`}`];
  });
  return ['Environment variables:', ...lines];
}
