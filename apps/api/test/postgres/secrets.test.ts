import { once } from 'node:events';
import { rawRequest } from '@plant-store/contracts-http/wire';
import { freshDatabase, runSql } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test } from 'vitest';
import { connectTo, startService } from '../running-service.ts';
import { receiveOtlp } from '../telemetry/otlp-receiver.ts';

const token = 'accepted-SECRET-token-0123456789';
const otherToken = 'rejected-SECRET-token-9876543210';
const name = 'SECRET name of a plant';
const tag = 'SECRET-tag';
/** A digit run that nothing else has. */
const id = 7_766_554_433_221_100;

/** The parts of a request that must not appear elsewhere. */
const secrets = /SECRET|7766554433221100|Bearer /;

test('tokens and bodies are in no log line, metric or trace, whatever the outcome of the request', async () => {
  await using receiver = await receiveOtlp();
  const database = await freshDatabase();
  const service = await startService({
    DATABASE_URL: database,
    API_TOKENS: token,
    LOG_LEVEL: 'trace',
    // Without the greeting, which has a line with Bearer to paste.
    NODE_ENV: 'production',
    SHUTDOWN_DELAY_MS: '0',
    BODY_LIMIT: '4096',
    RATE_LIMIT_PER_SECOND: '1000',
    ...receiver.environment,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
  });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  const plant = { id, name, tag };
  const post = (body: string | object, headers: Record<string, string> = {}, path = '/plants') =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }).then(async (response) => `${response.status} ${/"error":(\d+)/.exec(await response.text())?.[1] ?? ''}`.trim());

  expect(await post(plant)).toBe('200');
  expect(await post({ ...plant, name: `${name} 2` })).toBe('400 40005');
  expect(await post({ ...plant, id: `${id}` })).toBe('400 40002');
  expect(await post(`{"id":${id},"name":"${name}"`)).toBe('400 40001');
  expect(await post(plant, { 'content-type': `text/${tag}` })).toBe('400 40003');
  expect(await post({ ...plant, name: name.repeat(300) })).toBe('400 40004');
  expect(await post(plant, { authorization: `Bearer ${otherToken}` })).toBe('401 40102');
  expect(await post(plant, { authorization: `Basic ${token}` })).toBe('401 40101');
  expect(await post(plant, {}, `/nowhere?access_token=${token}`)).toBe('404 40401');
  expect(await post(plant, {}, `/plants?name=${tag}&access_token=${token}`)).toBe('200');
  expect(await post(plant, { 'x-request-id': `"${token}"`, traceparent: token, tracestate: `a b ${tag}` })).toBe('200');
  for (const malformed of [`Bearer ${token}\r\nX-A : b`, `Bearer ${token}\r\nTransfer-Encoding: ${tag}`])
    expect(await sendRaw(service.url, malformed)).toContain(' 400 ');

  // PostgreSQL's message about a rejected row contains the whole row.
  await runSql(database, "ALTER TABLE plants ADD CHECK (tag IS DISTINCT FROM 'SECRET-refused')");
  expect(await post({ id: id + 1, name, tag: 'SECRET-refused' })).toBe('400 40008');
  await runSql(database, 'ALTER TABLE plants RENAME TO elsewhere');
  expect(await post({ ...plant, id: id + 2 })).toBe('503 50301');

  const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
  await fetch(`${service.adminUrl}/readyz`);
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe(0);

  // All of it is there, and none of the secrets.
  expect(service.output()).toContain('"error":40008');
  expect(service.output().match(/"msg":"(?:request completed|malformed request rejected)"/g)?.length).toBeGreaterThan(
    13,
  );
  expect(metrics).toContain('http_response_status_code="503"');
  expect(receiver.spans.filter(({ kind }) => kind === 2).length).toBeGreaterThan(12);
  const sentToReceiver = receiver.everything().replaceAll('Bearer of-the-collector', '');
  for (const seen of [service.output(), metrics, sentToReceiver]) {
    expect(seen.length).toBeGreaterThan(1_000);
    expect(seen).not.toMatch(secrets);
  }
});

/** Sends a request whose head is malformed after the token. */
async function sendRaw(url: string, authorization: string): Promise<string> {
  const socket = connectTo(url);
  const request = { headers: { Authorization: authorization }, body: JSON.stringify({ id, name, tag }) };
  socket.write(rawRequest({ baseUrl: url, token }, request));
  const [response] = await once(socket, 'data');
  socket.destroy();
  return String(response);
}
