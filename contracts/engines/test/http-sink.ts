import { type BatchEngine, groupCommit, Unavailable } from '@plant-store/group-commit';

interface Event {
  readonly id: string;
  readonly text: string;
}

/** One POST carries a batch; its response has `{}` or `{ error }` for each event, in their order. */
export function httpSink(url: string): BatchEngine<Event, 'stored'> {
  const closing = new AbortController();
  async function request(init: RequestInit, ...ends: AbortSignal[]): Promise<{ error?: string }[]> {
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.any([closing.signal, ...ends]) });
      if (!response.ok) throw new Error(`status ${response.status}`);
      // An unreadable response leaves the outcome unknown, too.
      return init.method === 'HEAD' ? [] : JSON.parse(await response.text());
    } catch (cause) {
      throw new Unavailable('the sink does not respond', { cause });
    }
  }
  return {
    async write(events, deadline) {
      const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(deadline - performance.now())));
      const answers = await request({ method: 'POST', body: JSON.stringify(events) }, timeout);
      return answers.map(({ error }) => (error ? { refused: new Error(error) } : { done: 'stored' }));
    },
    async probe() {
      await request({ method: 'HEAD' });
    },
    async close() {
      closing.abort();
    },
    isTransient: (error) => error instanceof Unavailable,
  };
}

export const openSink = (url: string) =>
  groupCommit(httpSink(url), { keyOf: ({ id }) => id, sizeOf: ({ text }) => text.length }, { maxBatch: 100 });
