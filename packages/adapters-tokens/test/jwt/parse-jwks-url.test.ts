import { parseJwksUrl } from '@plant-store/adapters-tokens';
import { expect, test } from 'vitest';

test.each([
  'https://issuer.example/.well-known/jwks.json',
  'https://issuer.example:8443/keys?tenant=a',
  'http://localhost:8080/jwks',
  'http://127.0.0.1/jwks',
  'http://127.1.2.3:1/jwks',
  'http://[::1]:8080/jwks',
])('accepts %s', (text) => {
  expect(parseJwksUrl(text).href).toBe(text);
});

test.each([
  'http://issuer.example/jwks',
  'http://127.0.0.1.example.com/jwks',
  'http://127.example.com/jwks',
  'http://localhost.example.com/jwks',
  'http://notlocalhost/jwks',
  'http://10.0.0.1/jwks',
  'http://0.0.0.0/jwks',
  'http://[::ffff:10.0.0.1]/jwks',
  'http://localhost@issuer.example/jwks',
  'https://user:hunter2@issuer.example/jwks',
  'https://hunter2@issuer.example/jwks',
  'https://:hunter2@issuer.example/jwks',
  'ftp://localhost/jwks',
  'file:///etc/jwks.json',
  'data:application/json,{"keys":[]}',
  'issuer.example/jwks',
  '/etc/jwks.json',
  '',
])('rejects %s, and the message does not repeat it', (text) => {
  expect(() => parseJwksUrl(text)).toThrow(RangeError);
  expect(() => parseJwksUrl(text)).toThrow(
    /^expected https:\/\/… without a user and a password, or http:\/\/… on this/,
  );
  expect(() => parseJwksUrl(text)).not.toThrow(/hunter2|issuer/);
});
