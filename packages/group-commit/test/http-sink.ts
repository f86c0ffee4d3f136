import { type BatchEngine, groupCommit, Unavailable } from '@plant-store/group-commit';

interface Event {
  readonly id: string;
  readonly text: string;
}

/** One POST carries a batch; its response has `{}` or `{ error }` for each event, in their order. */
function httpSink(url: string): BatchEngine<Event, 'stored'> {
  async function request(init: RequestInit) {
    try {
      const response = await fetch(url, init);
      if (response.ok) return await response.text();
      throw new Error(`status ${response.status}`);
    } catch (cause) {
      throw new Unavailable('the sink does not respond', { cause });
    }
  }
  return {
    async write(events, deadline) {
      const signal = AbortSignal.timeout(Math.max(1, Math.ceil(deadline - performance.now())));
      const body = await request({ method: 'POST', body: JSON.stringify(events), signal });
      const answers: { error?: string }[] = JSON.parse(body);
      return answers.map(({ error }) => (error ? { refused: new Error(error) } : { done: 'stored' }));
    },
    async probe() {
      await request({ method: 'HEAD' });
    },
    async close() {},
    isTransient: (error) => error instanceof Unavailable,
  };
}

export const openSink = (url: string) =>
  groupCommit(httpSink(url), { keyOf: ({ id }) => id, sizeOf: ({ text }) => text.length }, { maxBatch: 100 });
