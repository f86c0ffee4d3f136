import { once } from 'node:events';
import { rawRequest } from '@plant-store/contracts-http/wire';
import { freshDatabase, runSql } from '@plant-store/testing/postgres';
import { expect, test } from 'vitest';
import { connectTo, startService } from '../running-service.ts';

const token = 'accepted-SECRET-token-0123456789';
const name = 'SECRET name of a plant';
const tag = 'SECRET-tag';
/** A digit run that nothing else has. */
const id = 7_766_554_433_221_100;
const plant = { id, name, tag };

/** The parts of a request that must not appear elsewhere. */
const secrets = /SECRET|7766554433221100|Bearer /;

test('P7/F7 P7/F8 tokens and bodies are in no log line and no metric, whatever the outcome of the request', async () => {
  const DATABASE_URL = await freshDatabase();
  using service = await startService({
    ...{ DATABASE_URL, API_TOKENS: token, LOG_LEVEL: 'trace', SHUTDOWN_DELAY_MS: '0', BODY_LIMIT: '4096' },
    // Where it prints no greeting, which has a line with Bearer to paste.
    NODE_ENV: 'production',
  });
  const sent = async (body: object, headers: Record<string, string> = {}, path = '/plants') => {
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const { error }: { error?: number } = JSON.parse(await response.text());
    return error ?? response.status;
  };
  const unusable = { 'x-request-id': `"${token}"`, traceparent: token, tracestate: `a b ${tag}` };
  const requests: readonly [outcome: number, ...Parameters<typeof sent>][] = [
    [200, plant],
    [200, plant, unusable, `/plants?name=${tag}&access_token=${token}`],
    [40005, { ...plant, name: `${name} 2` }],
    [40002, { ...plant, id: `${id}` }],
    [40003, plant, { 'content-type': `text/${tag}` }],
    [40004, { ...plant, name: name.repeat(300) }],
    [40102, plant, { authorization: 'Bearer rejected-SECRET-token-9876543210' }],
    [40101, plant, { authorization: `Basic ${token}` }],
    [40401, plant, {}, `/nowhere?access_token=${token}`],
  ];
  for (const [outcome, ...request] of requests) expect(await sent(...request)).toBe(outcome);
  const malformed = connectTo(service.url);
  const headers = { Authorization: `Bearer ${token}\r\nTransfer-Encoding: ${tag}` };
  malformed.write(rawRequest({ baseUrl: service.url, token }, { headers, body: JSON.stringify(plant) }));
  expect(String(await once(malformed, 'data'))).toContain(' 400 ');
  // PostgreSQL's message about a rejected row contains the whole row.
  await runSql(DATABASE_URL, "ALTER TABLE plants ADD CHECK (tag IS DISTINCT FROM 'SECRET-refused')");
  expect(await sent({ id: id + 1, name, tag: 'SECRET-refused' })).toBe(40008);
  await runSql(DATABASE_URL, 'ALTER TABLE plants RENAME TO elsewhere');
  expect(await sent({ ...plant, id: id + 2 })).toBe(50301);

  const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
  expect(await service.stop()).toBe(0);

  // All of it is there, and none of the secrets.
  expect(service.output().match(/"(?:request completed|malformed request rejected)"/g)?.length).toBe(12);
  expect(metrics).toContain('http_response_status_code="503"');
  for (const seen of [service.output(), metrics]) expect(seen).not.toMatch(secrets);
});
