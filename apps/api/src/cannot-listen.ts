/** The setting that has the port of a listener. */
export type PortSetting = 'PORT' | 'ADMIN_PORT';

/** Why the service cannot listen, and what to do about it. */
export function cannotListenMessage(
  { code, message }: NodeJS.ErrnoException,
  setting: PortSetting,
  host: string,
  port: number,
): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is in use on ${host}: stop what listens there, or set ${setting} to another (0 picks a free one)`;
    case 'EACCES':
      return `no permission to listen on port ${port}: set ${setting} to a port above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine: set ${setting === 'PORT' ? 'HOST' : 'ADMIN_HOST'} to one that is`;
    default:
      return `cannot listen on ${host}:${port}: ${message}`;
  }
}
