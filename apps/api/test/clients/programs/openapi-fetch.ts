import createClient from 'openapi-fetch';
import { exactIntegers } from './generated/exact-integers.ts';
import type { paths } from './generated/plant-store.ts';

/** Creates a plant with openapi-fetch and the types that openapi-typescript generates. */
export async function createPlant(
  baseUrl: string,
  token: string,
  id: number | bigint,
  name: string,
  requestId: string = crypto.randomUUID(),
): Promise<string> {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
  const { data, error, response } = await client.POST('/plants', {
    params: { header: { 'X-Request-Id': requestId } },
    // The generated type of an int64 is number, which ends at 2^53.
    body: { id: id as number, name },
    bodySerializer: exactIntegers,
  });
  const named = response.headers.get('X-Request-Id');
  if (error) return `${response.status} ${error.error satisfies number} ${error.message satisfies string} (${named})`;
  return `${response.status} ${data.name satisfies string}`;
}
