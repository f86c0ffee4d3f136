// The image's HEALTHCHECK: whether the process responds. Without an admin listener, any response of the public one will do.
const { PORT, ADMIN_PORT } = process.env;
const isOff = ADMIN_PORT === 'off';
const { ok } = await fetch(`http://127.0.0.1:${isOff ? PORT || 3000 : `${ADMIN_PORT || 3001}/livez`}`);
process.exit(isOff || ok ? 0 : 1);
