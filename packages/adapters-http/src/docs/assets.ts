import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file that the page loads. */
export interface DocsAsset {
  /** Its name, with a digest of its content: a file of this name never changes. */
  readonly name: string;
  readonly mediaType: string;
  readonly content: Buffer;
}

/**
 * Reads the files of the page: Swagger UI as packaged, and then our settings. Some 2 MB.
 */
export function readDocsAssets(): readonly DocsAsset[] {
  return [
    asset('swagger-ui', fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui.css'))),
    asset('swagger-ui', fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'))),
    // Next to src and dist: the code runs from either.
    asset('docs', fileURLToPath(new URL('../../docs-page/docs.css', import.meta.url))),
    asset('docs', fileURLToPath(new URL('../../docs-page/docs.js', import.meta.url))),
  ];
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

function asset(name: string, path: string): DocsAsset {
  const content = readFileSync(path);
  const extension = extname(path);
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { name: `${name}.${digest}${extension}`, mediaType: mediaTypes[extension] ?? '', content };
}
