import { jwtVariables, otlpVariables, settings } from '@plant-store/api/reference';
import { hexagon } from './diagrams/hexagon.ts';
import { oneRequest } from './diagrams/one-request.ts';
import { errorsTable } from './tables/errors.ts';
import { metricsTable } from './tables/metrics.ts';
import { packagesTable } from './tables/packages.ts';
import { settingsTable } from './tables/settings.ts';

/** A part of a document that is made from the code. */
export interface Part {
  /** From the root of the repository. */
  readonly file: string;
  /** As in its first marker, `<!-- generated: name -->`. */
  readonly name: string;
  readonly content: () => string | Promise<string>;
}

/** Every part of a document that is made from the code. */
export const parts: readonly Part[] = [
  { file: 'README.md', name: 'hexagon', content: hexagon },
  { file: 'README.md', name: 'packages', content: packagesTable },
  { file: 'README.md', name: 'errors', content: errorsTable },
  { file: 'README.md', name: 'settings', content: () => settingsTable(settings) },
  { file: 'docs/one-request.md', name: 'one-request', content: oneRequest },
  { file: 'docs/telemetry.md', name: 'metrics', content: metricsTable },
  { file: 'docs/telemetry.md', name: 'settings', content: () => settingsTable(otlpVariables) },
  { file: 'docs/tokens.md', name: 'settings', content: () => settingsTable(jwtVariables) },
];

/**
 * The document with the part between its markers made anew.
 *
 * @throws {Error} when the document does not have both markers, in their order and once.
 */
export async function withPart(document: string, { file, name, content }: Part): Promise<string> {
  const [before, behind, ...more] = document.split(`<!-- generated: ${name} -->\n`);
  const end = behind?.indexOf('<!-- /generated -->') ?? -1;
  if (before === undefined || behind === undefined || end < 0 || more.length > 0) {
    throw new Error(`${file}: expected <!-- generated: ${name} --> once, and <!-- /generated --> behind it`);
  }
  return `${before}<!-- generated: ${name} -->\n${await content()}\n${behind.slice(end)}`;
}
