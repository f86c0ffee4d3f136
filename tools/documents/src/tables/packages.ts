import { workspacePackages } from '../workspace-packages.ts';
import { markdownTable } from './markdown-table.ts';

/** Every package of the workspace, and what it says of itself. */
export function packagesTable(): string {
  return markdownTable(
    ['where', 'what lives there'],
    workspacePackages().map(({ folder, description }) => [`[\`${folder}\`](${folder})`, description]),
  );
}
