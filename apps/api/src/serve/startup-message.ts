import type { Application } from '../compose.ts';
import { type Config, maskedUrl } from '../config/index.ts';
import { printable } from '../printable.ts';
import { developmentTokenFile } from '../tokens/index.ts';
import { version } from '../version.ts';

/**
 * The message for a person who has started the service in development: its addresses, and a command that creates a plant.
 *
 * @param token the generated token. Configured tokens are not shown.
 */
export function startupMessage({ url, adminUrl, storeState }: Application, config: Config, token?: string): string {
  const { DATABASE_URL, DATA_DIR, DOCS, API_TOKENS, API_TOKENS_FILE, JWT_ISSUER } = config;
  const configured = { API_TOKENS, API_TOKENS_FILE, JWT_ISSUER };
  const names = Object.entries(configured).flatMap(([name, value]) => (value ? [name] : []));
  const rows = {
    store: `${maskedUrl(DATABASE_URL)}, ${storeState}`,
    token: token ? `${developmentTokenFile(DATA_DIR)}, generated at the first start` : `of ${names.join(', ')}`,
    page: DOCS === 'on' && `${url}/docs`,
    admin: adminUrl && `${adminUrl}/livez, /readyz, /metrics`,
  };
  const lines = Object.entries(rows).flatMap(([name, row]) =>
    row ? [`  ${name.padEnd(5)}  ${printable(row)}\n`] : [],
  );
  return `
plant-store ${version()} (development) listening on ${url}
${lines.join('')}
Create a plant:

  curl -i ${url}/plants -H 'Authorization: Bearer ${token ?? '<your token>'}' -H 'Content-Type: application/json' -d '{"id": 1, "name": "Fern", "tag": "shade"}'

Press Ctrl-C to stop.

`;
}
