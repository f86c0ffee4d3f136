import type { Application } from '../compose.ts';

/**
 * What a person sees who has started the service: where it listens, and a line to paste that creates a plant.
 *
 * @param docs whether there is a page to try it.
 * @param token the token that was made for this machine; one that the operator has set is not repeated.
 */
export function greeting({ url, adminUrl }: Application, docs: boolean, token = '<your token>'): string {
  return `
plant-store listens at ${url}${adminUrl ? `, for its operator at ${adminUrl}/readyz` : ''}

Create a plant:

  curl -i ${url}/plants -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"id": 1, "name": "Fern", "tag": "shade"}'

${docs ? `Or try it at ${url}/docs\n\n` : ''}Ctrl-C ends it.

`;
}
