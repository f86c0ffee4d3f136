import { createHttpServer } from '@plant-store/adapters-http';
import { digestVerifier, parseTokenList } from '@plant-store/adapters-tokens';
import { openLog } from '@plant-store/api';

// The service's HTTP side with tokens and log; the use case returns immediately and stores nothing.
const http = createHttpServer({
  useCases: {
    createPlant: async ({ name, tag }) => ({
      outcome: 'created',
      plant: tag === undefined ? { name } : { name, tag },
    }),
  },
  tokens: digestVerifier([{ digests: parseTokenList(process.env['API_TOKENS'] ?? '') }]),
  ...(await openLog({ logLevel: 'info', logBufferBytes: 4_194_304 })),
});
await http.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
