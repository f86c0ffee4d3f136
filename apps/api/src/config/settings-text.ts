import { styleText } from 'node:util';
import type { Setting, Settings } from './setting.ts';
import { settingGroups } from './settings.ts';

/** Every setting, in the order in which they are shown. */
export const allSettings: Settings = Object.assign({}, ...Object.values(settingGroups));

/** The settings for `help environment`: each with its meaning, form and default. */
export function settingsHelp(table: Settings): string {
  const lines = Object.entries(table).map(
    ([name, setting]) => `  ${name}\n      ${setting.meaning}\n      ${formAndDefault(setting)}`,
  );
  return ['Environment variables:', ...lines].join('\n');
}

/** The default of a setting, as documented. */
export function defaultOf({ unset, default: text }: Setting): string | undefined {
  return unset ?? text;
}

function formAndDefault(setting: Setting): string {
  const fallback = defaultOf(setting);
  return styleText('dim', fallback === undefined ? setting.form : `${setting.form} (default: ${fallback})`);
}
