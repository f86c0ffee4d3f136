import type { ServerContainer } from '@plant-store/testing-servers';

/** MariaDB or MySQL in an image with the variables of Docker's official `mariadb` or `mysql` images. */
export const container: ServerContainer = {
  port: 3306,
  prepare: (generic, wait) =>
    generic
      .withEnvironment({ MARIADB_ALLOW_EMPTY_ROOT_PASSWORD: '1', MYSQL_ALLOW_EMPTY_PASSWORD: '1' })
      .withCommand(['--max-connections=300', '--innodb-flush-method=nosync'])
      // The first start, which sets it up, listens on port 0.
      .withWaitStrategy(wait.forLogMessage(/port: 3306\b/)),
  urlAt: (host) => `mysql://root@${host}/mysql`,
};
