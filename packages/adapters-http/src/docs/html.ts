/** Text that is HTML already. */
export interface Html {
  readonly html: string;
}

type Value = Html | string | number | undefined | readonly Value[];

/** HTML with values in it. Values that are not HTML themselves are escaped; lists are joined. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: String.raw({ raw: strings }, ...values.map(text)) };
}

function text(value: Value): string {
  if (value === undefined) return '';
  if (isList(value)) return value.map(text).join('');
  if (typeof value === 'object') return value.html;
  return String(value).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
