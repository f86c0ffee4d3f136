import { expect, test } from 'vitest';
import { plantRequests } from '../src/load/plant-request.ts';

const requests = plantRequests(80, 'token');

function render(plant: number): string {
  const request = requests.buffer();
  requests.render(request, plant);
  return request.toString();
}

test('a request carries a NewPlant whose response has the expected length', () => {
  const request = render(7);
  const [, body = ''] = request.split('\r\n\r\n');
  const { id, ...plant } = JSON.parse(body);
  expect(id).toBeGreaterThanOrEqual(1e17);
  expect(JSON.stringify(plant)).toHaveLength(requests.responseBytes);
  expect(request).toContain(`\r\nContent-Length: ${body.length}\r\n`);
});

test('every number has another id, and ids are spread evenly over the range', () => {
  const ids = Array.from({ length: 9_000 }, (_, at) => /"id":(\d{18}),/.exec(render(at + 1e12))?.[1]);
  expect(new Set(ids).size).toBe(9_000);
  const sizes = [...Map.groupBy(ids, (id) => id?.[0]).values()].map((group) => group.length);
  expect(sizes).toHaveLength(9);
  for (const size of sizes) expect(size).toBeGreaterThan(800);
});
