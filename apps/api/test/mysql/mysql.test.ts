import { freshDatabase, onServer, ownServer } from '@plant-store/testing-mysql';
import { importsAndExports } from '../imports-and-exports.ts';
import { migrates } from '../migrates.ts';
import { startsBeforeItsDatabase } from '../starts-before-its-database.ts';

await onServer(() => {
  importsAndExports('mysql', () => freshDatabase());
  migrates('mysql', freshDatabase);
});

await onServer(
  () => {
    const server = ownServer({ fsync: false });
    startsBeforeItsDatabase(
      'MySQL',
      () => server,
      () => server.url.replace(/\/\/[^@]*@/, '//nobody:mellon@'),
    );
  },
  { dedicated: true },
);
