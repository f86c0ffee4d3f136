import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { forwarding } from '@plant-store/contracts-kit';
import { type PlantStore, StoreUnavailable } from '@plant-store/domain';
import type { Response } from './store-process.ts';

/** The function of an adapter that opens a store, for a process that imports it. */
export interface Opener {
  /** The path of the module, without its extension: `.ts` as source, `.js` if built. */
  readonly module: string;
  /** The name under which the module exports the function. */
  readonly name: string;
}

/** A store in a process of its own. */
export interface KillableStore extends PlantStore {
  /** Kills the process with SIGKILL, and resolves once it has ended. Calls in flight throw StoreUnavailable. */
  kill(): Promise<void>;
}

/**
 * Opens a store in a process of its own.
 * @throws {Error} with the text and the code of the error, if the store cannot be opened. Its calls throw such errors as well.
 */
export async function openInProcess({ module, name }: Opener, options: object): Promise<KillableStore> {
  const extension = extname(import.meta.filename);
  const child = fork(join(import.meta.dirname, `store-process${extension}`), {
    execArgv: extension === '.ts' ? ['--conditions=development'] : [],
    // Ids are bigints.
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'close');
  const calls: PromiseWithResolvers<unknown>[] = [];
  const fail = () => {
    for (const { reject } of calls) reject(new StoreUnavailable('the process of the store has ended'));
  };
  child.on('message', ({ call, result, error, code }: Response) =>
    error === undefined ? calls[call]?.resolve(result) : calls[call]?.reject(Object.assign(new Error(error), { code })),
  );
  child.once('close', fail);
  const request = (method: string, given: readonly unknown[]): Promise<unknown> => {
    const calling = Promise.withResolvers<unknown>();
    child.send({ call: calls.push(calling) - 1, method, given }, (error) => error && fail());
    return calling.promise;
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  // Not as an argument of the process, which every user of the machine can read: the options may contain a password.
  const url = pathToFileURL(module + (existsSync(`${module}.ts`) ? '.ts' : '.js')).href;
  const opening = request('open', [url, name, options]) as Promise<readonly string[]>;
  const methods = await opening.catch((error) => kill().then(() => Promise.reject(error)));
  return { ...forwarding<PlantStore>(methods, request), kill };
}
