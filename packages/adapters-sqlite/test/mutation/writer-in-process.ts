import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { errorOf, failureOf } from '../../src/writer/messages.ts';
import { writerOperations } from '../../src/writer/operations.ts';
import type { Writer } from '../../src/writer/start-writer.ts';

// Stryker reaches the process of the tests alone: a writer is part of it, except where its process is what is tested.
if (!expect.getState().testPath?.endsWith('/writer.test.ts'))
  vi.doMock('../../src/writer/start-writer.ts', () => ({ startWriter: writerInProcess }));

/** A writer to which everything is sent as it is to a process. */
function writerInProcess(): Writer {
  const operations: Record<string, (...parameters: never[]) => Promise<unknown>> = writerOperations();
  let isRunning = true;
  const call = async (name: string, ...parameters: unknown[]) => {
    // The start of a process takes longer: what hangs or is locked is not known before `openSqlite` has stopped waiting.
    if (name === 'open') await sleep(20);
    try {
      return structuredClone(await operations[name]?.(...(structuredClone(parameters) as never[])));
    } catch (error) {
      throw errorOf(structuredClone(failureOf(error)));
    }
  };
  return {
    get isRunning() {
      return isRunning;
    },
    busySince: undefined,
    call: call as Writer['call'],
    async end() {
      isRunning = false;
      await call('close');
    },
  };
}
