// `POST /plants` on Express and a Map. Runs the contract's command against it, for the clauses that need neither the description nor
// control of the parser.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import express from 'express';

const TOKEN = 'token-of-the-tests';
const stored = new Map();
const isText = (value) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
const sendError = (response, error, message) =>
  response.status(Math.floor(error / 100)).json({ error, message: `${message} is invalid` });

const app = express();
app.all('/plants', (request, response, next) => {
  const [, token] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (token === TOKEN) return next();
  response.set('WWW-Authenticate', `Bearer realm="plant-store"${token ? ', error="invalid_token"' : ''}`);
  return sendError(response, token ? 40102 : 40101, 'the token');
});
app.post('/plants', express.text({ type: 'application/json', limit: '64kb' }), (request, response) => {
  let body;
  try {
    body = JSON.parse(request.body, (_, value, { source }) => (/^-?\d+$/.test(source) ? BigInt(source) : value));
  } catch {
    return sendError(response, 40001, 'JSON');
  }
  const { id, name, tag } = Object(body);
  if (typeof id !== 'bigint' || BigInt.asIntN(64, id) !== id || !isText(name) || !(tag === undefined || isText(tag)))
    return sendError(response, 40002, 'id, name or tag');
  const plant = JSON.stringify({ name, tag });
  if ((stored.get(id) ?? plant) !== plant) return sendError(response, 40005, 'id');
  stored.set(id, plant);
  return response.type('json').send(plant);
});

const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 21, 22, 24, 30, 35, 37];
const args = ['--url', `http://127.0.0.1:${server.address().port}`, '--only', ids.map((id) => `HC-${id}`).join()];
const env = { ...process.env, API_TOKEN: TOKEN };
await promisify(execFile)('npx', ['@plant-store/contracts-http', ...args], { env });
server.close();
