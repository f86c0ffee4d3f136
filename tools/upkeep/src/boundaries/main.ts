// Checks the boundaries between the packages of the workspace:
//
//   npx -y pnpm@12 boundaries

import { join } from 'node:path';
import { checkBoundaries } from './check-boundaries.ts';
import { checkCompiled } from './check-compiled.ts';
import { modulesKnownToGit } from './known-to-git.ts';
import { reportText } from './report-text.ts';
import { readWorkspace } from './workspace.ts';

const root = join(import.meta.dirname, '../../../..');
const workspace = readWorkspace(root);
const seen = new Set(workspace.modules.map(({ path }) => path));
const { text, ok } = reportText({
  violations: [...checkBoundaries(workspace), ...checkCompiled(root, workspace.packages)],
  packages: workspace.packages.length,
  modules: seen.size,
  unseen: modulesKnownToGit(root).filter((path) => !seen.has(path)),
});
process.stdout.write(text);
process.exitCode = ok ? 0 : 1;
