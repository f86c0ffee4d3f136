import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { post, serve, statuses } from './serve.ts';

test('the same token on a connection is verified once while it is current, another one always', async () => {
  let revoked = false;
  const verify = vi.fn(async (token: string) =>
    token === 'sesame' && !revoked
      ? { accepted: true as const, subject: 'me', isCurrent: () => !revoked }
      : { accepted: false as const },
  );
  const { open } = await serve({ tokens: { verify } });
  const socket = await open();
  const statusWith = async (token: string) => {
    socket.write(post(undefined, { Authorization: `Bearer ${token}` }));
    return statuses(String(await once(socket, 'data')))[0];
  };
  expect(await statusWith('sesame')).toBe(200);
  expect(await statusWith('sesame')).toBe(200);
  expect(verify).toHaveBeenCalledTimes(1);
  expect(await statusWith('sesamE')).toBe(401);
  expect(await statusWith('sesame')).toBe(200);
  revoked = true;
  expect(await statusWith('sesame')).toBe(401);
  expect(verify.mock.calls).toEqual([['sesame'], ['sesamE'], ['sesame']]);
});

test.each([undefined, null, 'a text'])('a verifier that rejects with %s accepts nobody', async (reason) => {
  const { received } = await serve({ tokens: { verify: () => Promise.reject(reason) } });
  expect(statuses(await received(post(undefined, { Connection: 'close' })))).toEqual([500]);
});

test('a token whose verdict does not say whether it is current is verified for each request', async () => {
  const verify = vi.fn(async (subject: string) => ({ accepted: true as const, subject }));
  const { open } = await serve({ tokens: { verify } });
  const socket = await open();
  for (const _time of [1, 2]) {
    socket.write(post());
    await once(socket, 'data');
  }
  expect(verify).toHaveBeenCalledTimes(2);
});
