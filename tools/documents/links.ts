import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Links of a document to files, headings and images that are not there. Links to other hosts are not followed. */
export function brokenLinks(root: string, document: string): readonly string[] {
  const prose = withoutCode(readFileSync(join(root, document), 'utf8')).replace(/`[^`\n]*`/g, 'code');
  const targets = [...prose.matchAll(/\]\(<?([^\s)>]+)|^\[[^\]]+\]: (\S+)/gm)].map(([, a, b]) =>
    decodeURI(a ?? b ?? ''),
  );
  return targets.filter((target) => {
    const [file = '', heading] = target.split('#');
    const path = file === '' ? join(root, document) : join(root, file.startsWith('/') ? '.' : dirname(document), file);
    if (/^[a-z][a-z+.-]*:/i.test(target)) return false;
    return !existsSync(path) || (heading !== undefined && path.endsWith('.md') && !headingsOf(path).includes(heading));
  });
}

/** The names that GitHub gives to headings, of which no two are the same in a document. */
function headingsOf(path: string): readonly string[] {
  return [...withoutCode(readFileSync(path, 'utf8')).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^ *(```+|~~~+)[\s\S]*?^ *\1$/gm, '');
}
