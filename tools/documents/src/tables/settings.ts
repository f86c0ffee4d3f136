import { defaultOf, type Settings } from '@plant-store/api/reference';
import { markdownTable } from './markdown-table.ts';

/** What an operator may set. */
export function settingsTable(settings: Settings): string {
  return markdownTable(
    ['variable', 'meaning', 'form', 'default'],
    Object.entries(settings).map(([name, setting]) => [
      `\`${name}\``,
      setting.meaning,
      setting.form,
      defaultOf(setting) ?? '',
    ]),
  );
}
