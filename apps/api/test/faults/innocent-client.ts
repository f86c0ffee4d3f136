// A thread: a client with a token posts a plant every 50 ms, on one connection, while others attack the service.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const headers = { authorization: `Bearer ${workerData.token}`, 'content-type': 'application/json' };
let isStopped = false;
parentPort?.once('message', () => {
  isStopped = true;
});

let [waitedMs, stored] = [0, 0];
for (let since = performance.now(); !isStopped; ) {
  const body = JSON.stringify({ id: stored + 1, name: 'Fern' });
  const signal = AbortSignal.timeout(30_000);
  const isStored = await fetch(`${workerData.url}/plants`, { method: 'POST', headers, body, signal })
    .then(async (response) => response.ok && (await response.text()) === '{"name":"Fern"}')
    .catch(() => false);
  // Whatever came before the 200.
  waitedMs = Math.max(waitedMs, performance.now() - since);
  if (isStored) stored += 1;
  if (stored === 1) parentPort?.postMessage('stores');
  await sleep(50);
  if (isStored) since = performance.now();
}
parentPort?.postMessage({ waitedMs, stored });
