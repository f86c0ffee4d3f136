// The program of the process that openInProcess starts.

import { type methodsOf, show } from '@plant-store/contracts-kit';
import { methodsOfStore } from '../store-methods.ts';

/** The result of a call or, if it failed, the text and the code of its error. */
export interface Response {
  readonly call: number;
  readonly result?: unknown;
  readonly error?: string;
  readonly code?: unknown;
}

/** What can be called: the method that opens a store, and then those of the store. */
let methods: ReturnType<typeof methodsOf> = {
  async open(module, name, options) {
    methods = methodsOfStore(await (await import(String(module)))[String(name)](options));
    return Object.keys(methods);
  },
};

process.on('message', async ({ call, method, given }: { call: number; method: string; given: unknown[] }) => {
  const calling = async () => methods[method]?.(...given);
  const response: Promise<Response> = calling().then(
    (result) => ({ call, result }),
    (error) => ({ call, error: show(error), code: error?.code }),
  );
  process.send?.(await response);
});
// The parent has exited.
process.once('disconnect', () => process.exit());
