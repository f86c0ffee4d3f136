import { expect, test } from 'vitest';
import { startSharedServer } from '../src/shared-server.ts';

test('TEST_MYSQL_IMAGE and TEST_MYSQL_URL exclude each other', async () => {
  const both = { TEST_MYSQL_IMAGE: 'mysql:8', TEST_MYSQL_URL: 'mysql://127.0.0.1:1/x' };
  await expect(startSharedServer(both)).rejects.toThrow('name two servers for the tests: unset one of them');
});
