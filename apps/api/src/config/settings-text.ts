import { styleText } from 'node:util';
import { jwtVariables } from './jwt-settings.ts';
import { otlpVariables } from './otlp-settings.ts';
import type { Setting, Settings } from './setting.ts';
import { settings } from './settings.ts';

/** Every setting there is, in the order in which they are shown. */
export const allSettings: Settings = { ...settings, ...jwtVariables, ...otlpVariables };

/** The settings for `--help`: each with its meaning, how it is written and what it is by default. */
export function settingsHelp(table: Settings): string {
  const lines = Object.entries(table).map(
    ([name, setting]) => `  ${name}\n      ${setting.meaning}\n      ${formAndDefault(setting)}`,
  );
  return ['Environment variables:', ...lines].join('\n');
}

/** What the documents say of a setting that is not set. */
export function defaultOf({ unset, default: text }: Setting): string | undefined {
  return unset ?? text;
}

function formAndDefault(setting: Setting): string {
  const otherwise = defaultOf(setting);
  return styleText('dim', otherwise === undefined ? setting.form : `${setting.form} (default: ${otherwise})`);
}
