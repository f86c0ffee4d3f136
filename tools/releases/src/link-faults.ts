import { posix } from 'node:path';
import { remark } from 'remark';

/**
 * Links and images of a README that lead out of its tarball. On the registry's page, and in node_modules, nothing else is
 * there, and no package names a repository that they could lead to.
 */
export function linkFaults(readme: string, files: readonly string[]): readonly string[] {
  return targetsIn(remark().parse(readme))
    .filter((target) => !/^([a-z][a-z+.-]*:|#)/i.test(target))
    .filter((target) => {
      const path = posix.normalize(decodeURI(target.replace(/[?#].*$/, ''))).replace(/\/$/, '');
      return !files.some((file) => file === path || file.startsWith(`${path}/`));
    })
    .map((target) => `README.md links to ${target}, which is not in the tarball: write its name without a link`);
}

/** Of a part of a document, and of the parts below it: what a link, an image or a definition leads to. */
function targetsIn(part: Part): readonly string[] {
  return [...(part.url === undefined ? [] : [part.url]), ...(part.children ?? []).flatMap(targetsIn)];
}

interface Part {
  readonly type: string;
  readonly url?: string;
  readonly children?: readonly Part[];
}
