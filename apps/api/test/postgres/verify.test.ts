import { freshDatabase } from '@plant-store/testing-postgres';
import { onTestFinished, test } from 'vitest';
import { expectVerified } from '../verifies-service.ts';

test('plant-store verify finds every clause passed by a service on postgres', async () => {
  await expectVerified(await freshDatabase(), onTestFinished);
});
