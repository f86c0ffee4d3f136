import type { Addresses } from './worker.ts';

/**
 * What a person sees who started the service: its addresses, and a command that creates a plant.
 *
 * @param docs whether there is a page to try it.
 * @param token the generated token; a configured one is not repeated.
 */
export function startupMessage({ url, adminUrl }: Addresses, docs: boolean, token = '<your token>'): string {
  return `
plant-store listening on ${url}${adminUrl ? ` (admin: ${adminUrl})` : ''}

Create a plant:

  curl -i ${url}/plants -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"id": 1, "name": "Fern", "tag": "shade"}'

${docs ? `Or try it at ${url}/docs\n\n` : ''}Press Ctrl-C to stop.

`;
}
