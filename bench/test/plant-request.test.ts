import { describe, expect, test } from 'vitest';
import { plantRequests } from '../src/load/plant-request.ts';
import { anOrder } from './an-order.ts';

describe.each(['random', 'sequential'] as const)('requests with %s ids', (ids) => {
  const requests = plantRequests({ ...anOrder, ids, nameBytes: 40 });

  function body(plant: number): string {
    const request = requests.buffer();
    requests.render(request, plant);
    return request.toString().split('\r\n\r\n')[1] ?? '';
  }

  test('carry a NewPlant whose response has the expected length', () => {
    const { id, ...plant } = JSON.parse(body(7));
    expect(plant).toEqual({ name: expect.stringMatching(/^.{40}$/), tag: 'indoor' });
    expect(id).toBeGreaterThanOrEqual(1e17);
    expect(JSON.stringify(plant)).toHaveLength(requests.responseBytes);
    expect(requests.buffer().toString()).toContain(`\r\nContent-Length: ${body(7).length}\r\n`);
  });

  test('have a different id for every number', () => {
    const numbers = Array.from({ length: 20_000 }, (_, at) => at + 1e12);
    const idsSent = new Set(numbers.map((number) => /"id":(\d{18}),/.exec(body(number))?.[1]));
    expect(idsSent.size).toBe(numbers.length);
  });
});

test('random ids are spread evenly over the range', () => {
  const requests = plantRequests(anOrder);
  const request = requests.buffer();
  const deciles = Array.from({ length: 9_000 }, (_, plant) => {
    requests.render(request, plant);
    return /"id":(\d)/.exec(request.toString())?.[1];
  });
  const sizes = [...Map.groupBy(deciles, (digit) => digit).values()].map((group) => group.length);
  expect(sizes).toHaveLength(9);
  for (const size of sizes) expect(size).toBeGreaterThan(800);
});
