import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file that the page loads. */
export interface DocsAsset {
  /** Its name, with a digest of its content: a file of this name never changes. */
  readonly name: string;
  readonly mediaType: string;
  readonly content: Buffer;
}

/**
 * Reads the files of the page: Swagger UI as packaged, our plugins for it, and our settings. Some 2 MB.
 */
export function readDocsAssets(): readonly DocsAsset[] {
  return [
    asset('swagger-ui', fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui.css'))),
    asset('swagger-ui', fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'))),
    ...ours.map((file) => asset(basename(file, extname(file)), fileURLToPath(new URL(file, docsPage)))),
  ];
}

// Next to src and dist: the code runs from either.
const docsPage = new URL('../../docs-page/', import.meta.url);

/** In the order in which they are run: the plugins, and what starts the page with them. */
const ours = ['docs.css', 'token-field.js', 'code-snippets.js', 'responses.js', 'docs.js'];

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
