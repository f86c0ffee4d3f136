import { createServer } from 'node:http';

// The ceiling: node:http parses the plant and returns it. It checks and stores nothing.
const server = createServer(async (request, response) => {
  const chunks = await request.toArray();
  const { name, tag } = JSON.parse(Buffer.concat(chunks).toString() || '{}');
  const body = JSON.stringify({ name, tag });
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
});
server.listen(Number(process.env['PORT']), '127.0.0.1');
