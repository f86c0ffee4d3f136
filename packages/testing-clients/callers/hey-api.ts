import { exactIntegers } from './generated/exact-integers.ts';
import { createClient } from './generated/plant-store/client/index.ts';
import { createPlant as post } from './generated/plant-store/index.ts';

/** Creates a plant with the client that @hey-api/openapi-ts generates; its transformers make an int64 a bigint. */
export async function createPlant(
  baseUrl: string,
  token: string,
  id: number | bigint,
  name: string,
  requestId: string = crypto.randomUUID(),
): Promise<string> {
  const { data, error, response } = await post({
    client: createClient({ baseUrl, auth: token }),
    headers: { 'X-Request-Id': requestId },
    body: { id: BigInt(id), name },
    bodySerializer: exactIntegers,
  });
  const named = response?.headers.get('X-Request-Id');
  if (error) return `${response?.status} ${error.error satisfies number} ${error.message satisfies string} (${named})`;
  return `${response?.status} ${data.name satisfies string}`;
}
