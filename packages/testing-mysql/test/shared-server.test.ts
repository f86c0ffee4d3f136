import { expect, test } from 'vitest';
import { startSharedServer } from '../src/shared-server.ts';

test('a TEST_MYSQL_IMAGE that cannot be started is not replaced by another server', async () => {
  // The image does not exist, and its registry is unreachable: the server cannot be started, with or without Docker.
  await expect(startSharedServer({ TEST_MYSQL_IMAGE: 'localhost:1/no-such-image' })).rejects.toThrow(
    /^TEST_MYSQL_IMAGE cannot be used \(.*\): start Docker and name an image that it has or can pull, or unset it$/s,
  );
});

test('TEST_MYSQL_IMAGE and TEST_MYSQL_URL exclude each other', async () => {
  const both = { TEST_MYSQL_IMAGE: 'mysql:8', TEST_MYSQL_URL: 'mysql://127.0.0.1:1/x' };
  await expect(startSharedServer(both)).rejects.toThrow('name two servers for the tests: unset one of them');
});
