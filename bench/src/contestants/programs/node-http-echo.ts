import { createServer } from 'node:http';

// The upper limit of HTTP on Node: no framework, no checks, no store, no log.
createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { name, tag } = JSON.parse(Buffer.concat(chunks).toString()) as { name: string; tag?: string };
    const body = JSON.stringify({ name, tag });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
