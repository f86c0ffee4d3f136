import { tables } from './tables.ts';

/** Where a table begins and ends in a document. */
export const marked: RegExp = /^<!-- generated: (.+) -->\n([\s\S]*?)<!-- \/generated -->$/gm;

/**
 * The document with each table between its markers made anew.
 *
 * @throws {Error} for a marker that names no table.
 */
export async function withTables(document: string): Promise<string> {
  let text = document;
  for (const [part, name = ''] of document.matchAll(marked)) {
    const table = tables[name];
    if (!table) throw new Error(`there is no table "${name}": ${Object.keys(tables).join(', ')}`);
    text = text.replace(part, `<!-- generated: ${name} -->\n${await table()}\n<!-- /generated -->`);
  }
  return text;
}
