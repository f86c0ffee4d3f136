type Headers = Readonly<Record<string, string | undefined>>;
type Case<T> = readonly [what: string, T];

/** Where a token is: in the target, in a header, in members after those of the plant. */
interface Place {
  readonly path?: string;
  readonly headers?: Headers;
  readonly members?: string;
}

/** Headers without a bearer token. */
export function withoutToken(token: string): Case<Headers>[] {
  return [
    ['no Authorization header', { authorization: undefined }],
    ['an empty Authorization header', { authorization: '' }],
    ['the scheme without a token', { authorization: 'Bearer' }],
    ['the token without a scheme', { authorization: token }],
    ['no space after the scheme', { authorization: `Bearer${token}` }],
    ['a colon after the scheme', { authorization: `Bearer:${token}` }],
    ['a scheme that begins with Bearer', { authorization: `BearerX ${token}` }],
    ['the scheme Basic', { authorization: `Basic ${btoa(`plant:${token}`)}` }],
    ['the token in the scheme Basic', { authorization: `Basic ${token}` }],
    ['the token in the scheme Token', { authorization: `Token ${token}` }],
  ];
}

/** Texts that resemble an accepted token, or try to be clever, and are not accepted. */
export function impostors(token: string): Case<string>[] {
  const swapped = [...token]
    .map((char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase()))
    .join('');
  const similar: Case<string>[] = [
    ['the token in the other case', swapped],
    ['the token in upper case', token.toUpperCase()],
    ['the token in lower case', token.toLowerCase()],
    ['the token without its last character', token.slice(0, -1)],
    ['the token without its first character', token.slice(1)],
    ['the first half of the token', token.slice(0, token.length / 2)],
    ['the token with a character after it', `${token}x`],
    ['the token with a character before it', `x${token}`],
    ['the token with = after it', `${token}=`],
    ['the token twice', token + token],
    ['the token twice with a comma', `${token}, ${token}`],
    ['the token twice with a space', `${token} ${token}`],
    ['the token in quotes', `"${token}"`],
    ['the token and a parameter', `${token}, realm="plant-store"`],
    ['the scheme twice', `Bearer ${token}`],
    ['another token', crypto.randomUUID()],
    ['a very long token', 'x'.repeat(8_000)],
    ['a token of one character', '*'],
    ['a token that is not ASCII', 'f\u00fcr'],
    ['the word null', 'null'],
    ['the word undefined', 'undefined'],
    ['a path', '../../etc/passwd'],
    ['SQL', "' OR '1'='1"],
  ];
  return similar.filter(([, text]) => text !== token);
}

/** Places where a token is ignored. */
export function elsewhere(token: string): Case<Place>[] {
  return [
    ['the token in the query', { path: `/plants?access_token=${encodeURIComponent(token)}` }],
    ['the header in the query', { path: `/plants?authorization=Bearer%20${encodeURIComponent(token)}` }],
    ['the token in the body', { members: `,"access_token":${JSON.stringify(token)}` }],
    ['the token in a cookie', { headers: { cookie: `access_token=${token}` } }],
    ['the token in Proxy-Authorization', { headers: { 'proxy-authorization': `Bearer ${token}` } }],
    ['the token in X-Authorization', { headers: { 'x-authorization': `Bearer ${token}` } }],
    ['the token in X-Api-Key', { headers: { 'x-api-key': token } }],
  ];
}

/** Header lines of which two are Authorization. */
export function twoHeaders(token: string): Case<string[]>[] {
  const [valid, wrong] = [`Authorization: Bearer ${token}`, 'Authorization: Bearer wrong'];
  const many = Array.from({ length: 2_100 }, () => 'a:');
  return [
    ['the same valid token twice', [valid, valid]],
    ['a valid token, then a wrong one', [valid, wrong]],
    ['a wrong token, then a valid one', [wrong, valid]],
    ['a valid token, then Basic', [valid, 'authorization: Basic eDp5']],
    ['a valid token, then an empty header', [valid, 'AUTHORIZATION:']],
    ['a good token, 2,100 other headers, then a wrong one', [valid, ...many, wrong]],
  ];
}
