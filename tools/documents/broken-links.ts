import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Links of documents to files, headings and images that are not there, one line each. Links to other hosts are not
 * followed: nothing here takes a network.
 */
export function brokenLinks(root: string, documents: readonly string[]): readonly string[] {
  return documents.flatMap((path) =>
    targetsIn(readFileSync(join(root, path), 'utf8'))
      .filter((target) => !leadsSomewhere(root, path, target))
      .map((target) => `${path} links to ${target}, which is not there`),
  );
}

function leadsSomewhere(root: string, from: string, target: string): boolean {
  if (/^[a-z][a-z+.-]*:/i.test(target)) return true;
  const [file = '', heading] = decodeURI(target).split('#');
  const path = file.startsWith('/') ? join(root, file) : join(root, dirname(from), file);
  const document = file === '' ? join(root, from) : path;
  if (!existsSync(document)) return false;
  return heading === undefined || !document.endsWith('.md') || headingsOf(readFileSync(document, 'utf8')).has(heading);
}

/** What inline links, images and definitions lead to, code left out. */
function targetsIn(text: string): readonly string[] {
  const prose = withoutCode(text).replace(/`[^`\n]*`/g, 'code');
  return [...prose.matchAll(/\]\(<?([^\s)>]+)|^\[[^\]]+\]: (\S+)/gm)].map(
    ([, inline, defined]) => inline ?? defined ?? '',
  );
}

/** The names that GitHub gives to headings. */
function headingsOf(text: string): ReadonlySet<string> {
  const names = [...withoutCode(text).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(
    names.map((name, at) =>
      names.indexOf(name) === at ? name : `${name}-${names.slice(0, at).filter((one) => one === name).length}`,
    ),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^ *(```+|~~~+)[\s\S]*?^ *\1$/gm, '');
}
