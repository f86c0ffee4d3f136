import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { remark } from 'remark';
import { engine } from 'unified-engine';

/**
 * What is wrong with the links of these documents, one line each: files, headings (by GitHub's names for them) and images
 * that are not there. Links to other hosts are not followed.
 */
export function checkLinks(root: string, documents: readonly string[]): Promise<readonly string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
  engine(
    {
      processor: remark(),
      cwd: root,
      files: documents.map((path) => join(root, path)),
      plugins: [[validateLinks, { repository: false, root }]],
      detectConfig: false,
      output: false,
      out: false,
      quiet: true,
      silent: true,
    },
    (error, _code, context) => {
      if (error) return reject(error);
      return resolve(
        (context?.files ?? []).flatMap(({ path, messages }) =>
          messages.map(
            ({ line, reason, cause }) =>
              `${relative(root, join(root, path))}:${line} ${reason}${cause ? `: ${String(cause)}` : ''}`,
          ),
        ),
      );
    },
  );
  return promise;
}

/** By its path, so that the engine gives it all documents and not each alone. */
const validateLinks = fileURLToPath(import.meta.resolve('remark-validate-links'));
