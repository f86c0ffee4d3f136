// The image's HEALTHCHECK: whether the process responds. Without an admin listener, any response of the public one will do.
const { HOST, PORT, ADMIN_HOST, ADMIN_PORT } = process.env;
const isOff = ADMIN_PORT === 'off';
const host = (isOff ? HOST : ADMIN_HOST) || '::';
const name = host === '::' || host === '0.0.0.0' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
const { ok } = await fetch(`http://${name}:${isOff ? PORT || 3000 : `${ADMIN_PORT || 3001}/livez`}`);
process.exit(isOff || ok ? 0 : 1);
